import Bytes
import Levels
import PropertyLists

/// The links of one item in canonical form: the base path, `/levels` or `/detail`, and the keys of the item's path.
struct Links: ~Copyable {
    private var levels = ByteBuffer(capacity: 128)
    private var details = ByteBuffer(capacity: 128)
    /// The offset in `levels` at which the path of each step ends. The first step is the root.
    private var ends: [Int] = []

    /// The links of the root.
    ///
    /// - Parameter basePath: the path under which a proxy serves the service; empty without such a path.
    init(under basePath: String = "") {
        levels.append(basePath)
        levels.append("/levels/" as StaticString)
        details.append(basePath)
        details.append("/detail/" as StaticString)
        ends.append(levels.count)
    }

    init(_ item: Item, under basePath: String) {
        self.init(under: basePath)
        ends.reserveCapacity(item.steps.count)
        for step in item.steps.dropFirst() {
            if ends.count > 1 { levels.append(UInt8(ascii: "/")) }
            step.withRow { row in PercentEncoding.append(row.key, to: &levels) }
            ends.append(levels.count)
        }
        levels.copy(ends[0]..<levels.count, to: &details)
    }

    /// The links of the item at a path.
    init(keys: [[UInt8]], under basePath: String) {
        self.init(under: basePath)
        for key in keys {
            if ends.count > 1 { levels.append(UInt8(ascii: "/")) }
            PercentEncoding.append(key.span, to: &levels)
            ends.append(levels.count)
        }
        levels.copy(ends[0]..<levels.count, to: &details)
    }

    var level: Span<UInt8> {
        @_lifetime(borrow self)
        get { levels.span }
    }

    var detail: Span<UInt8> {
        @_lifetime(borrow self)
        get { details.span }
    }

    /// The link to the level of an ancestor, by its depth.
    @_lifetime(borrow self)
    func level(ofAncestor depth: Int) -> Span<UInt8> { levels.span.extracting(0..<ends[depth]) }

    /// The prefix of the links to the item's children, before their keys.
    func childPrefix(isDetail: Bool) -> ByteBuffer {
        Self.extended(isDetail ? details.span : levels.span, isRoot: ends.count == 1)
    }

    /// The prefix of the links to the details of the item's siblings, before their keys.
    func siblingPrefix() -> ByteBuffer {
        let end = ends[max(ends.count - 2, 0)]
        return Self.extended(details.span.extracting(0..<end), isRoot: ends.count <= 2)
    }

    private static func extended(_ path: Span<UInt8>, isRoot: Bool) -> ByteBuffer {
        var prefix = ByteBuffer(capacity: path.count + 1)
        prefix.append(path)
        if !isRoot { prefix.append(UInt8(ascii: "/")) }
        return prefix
    }
}

/// The prefixes of the links to the rows of one level, before their keys.
struct RowPrefixes: ~Copyable {
    /// The number of the level among the levels of the page; 0 for the item's own level.
    let branch: Int
    private let levels: ByteBuffer
    private let details: ByteBuffer

    init(_ links: borrowing Links) {
        branch = 0
        levels = links.childPrefix(isDetail: false)
        details = links.childPrefix(isDetail: true)
    }

    /// The prefixes for a level below the item.
    ///
    /// - Parameter steps: the rows between the item and the level, outermost first.
    init(links: borrowing Links, branch: Int, below steps: [Item.Step]) {
        self.branch = branch
        levels = Self.extended(links.childPrefix(isDetail: false), by: steps)
        details = Self.extended(links.childPrefix(isDetail: true), by: steps)
    }

    /// The prefix of a row's link: a leaf links to its detail, any other row to its level.
    @inline(__always)
    @_lifetime(borrow self)
    func prefix(isLeaf: Bool) -> Span<UInt8> { isLeaf ? details.span : levels.span }

    private static func extended(_ prefix: consuming ByteBuffer, by steps: [Item.Step]) -> ByteBuffer {
        var extended = prefix
        for step in steps {
            step.withRow { row in PercentEncoding.append(row.key, to: &extended) }
            extended.append(UInt8(ascii: "/"))
        }
        return extended
    }
}
