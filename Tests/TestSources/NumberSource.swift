import Bytes
public import Levels
import PropertyLists
public import TreeSources

/// An example of a source whose rows are not in memory: the numbers from 0 on, each with its square.
///
/// A load gives a root without rows, and the `RowSource` that answers requests in its place.
public struct NumberSource: TreeSource {
    public let name: String
    private let count: Int

    /// - Parameter count: the number of rows.
    public init(count: Int) { (name, self.count) = ("numbers:\(count)", count) }

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        do throws(PropertyListError) {
            let nowhere = SourcePosition.byte(offset: 0)
            var builder = TreeBuilder()
            try builder.beginDictionary(at: nowhere)
            try builder.key("Title".utf8Span.span, at: nowhere)
            try builder.string("Numbers".utf8Span.span, at: nowhere)
            try builder.key("Rows".utf8Span.span, at: nowhere)
            try builder.beginArray(at: nowhere)
            try builder.endArray()
            try builder.endDictionary()
            var loaded = LoadedTree(tree: try builder.finish())
            loaded.rows = NumberRows(document: loaded.tree.document, count: count)
            return loaded
        } catch {
            throw SourceError(name, reason: error.reason)
        }
    }
}

/// The rows of a `NumberSource`, which are made for each answer.
private struct NumberRows: RowSource {
    private let root: Item
    private let count: Int

    init(document: Level, count: Int) {
        root = Item(steps: [Item.Step(level: document, row: 0)], count: count)
        self.count = count
    }

    func find(_ path: ItemPath) throws(RowRefusal) -> Item.Lookup {
        guard path.count > 0 else { return .found(root) }
        // Each number has one key: `007` is not a key.
        guard let number = Int(path.key(0)), path.key(0) == "\(number)", let own = try step(to: number) else {
            return .missing(nearest: root, keyNumber: 0)
        }
        let item = Item(steps: root.steps + [own], count: 0)
        return path.count == 1 ? .found(item) : .missing(nearest: item, keyNumber: 1)
    }

    func page(_ query: RowQuery, below item: Item) throws(RowRefusal) -> RowPage {
        guard !query.arrangesRows, !query.looksBelow else {
            throw RowRefusal(sentence: "The numbers are all shown, in one order; ask without conditions and order.")
        }
        guard item.depth == 0 else { return RowPage(level: nil, start: 0, of: 0, childCounts: [], next: nil) }
        let numbers = query.page.positions(from: try start(query.page), of: count)
        return RowPage(
            level: try level(of: numbers), start: numbers.lowerBound, of: count, childCounts: numbers.map { _ in 0 },
            next: numbers.upperBound < count ? .supplied(Array("\(numbers.upperBound)".utf8)) : nil)
    }

    /// Returns the first number of a page. A cursor is the number in digits; a client may send any bytes in its place.
    private func start(_ page: PageQuery) throws(RowRefusal) -> Int {
        guard case .supplied(let bytes) = page.after else { return page.firstPosition }
        guard let start = Int(String(decoding: bytes, as: UTF8.self)), (0...count).contains(start) else {
            throw RowRefusal(parameter: "after", sentence: "The cursor is not one of this list.")
        }
        return start
    }

    func detail(of item: Item) throws(RowRefusal) -> ItemDetail {
        guard item.depth > 0, let number = item.own.withRow({ Int(String(utf8: $0.title)) }) else {
            let children = ItemDetail.ChildRows(count: count, first: try step(to: 0), last: try step(to: count - 1))
            return ItemDetail(item: item, position: 0, of: 1, previous: nil, next: nil, children: children)
        }
        return ItemDetail(
            item: item, position: number, of: count, previous: try step(to: number - 1), next: try step(to: number + 1),
            children: ItemDetail.ChildRows(count: 0, first: nil, last: nil))
    }

    /// All answers are determined by the count and the item.
    func hash(of part: ShownPart, of item: Item) -> ContentHash {
        ContentHash(of: "\(count)\(item.titlePath)".utf8Span.span)
    }

    private func step(to number: Int) throws(RowRefusal) -> Item.Step? {
        guard (0..<count).contains(number) else { return nil }
        return Item.Step(level: try level(of: number..<number + 1), row: 0)
    }

    /// Packs numbers into a level. The title is a field of the row, too: a detail shows all fields.
    private func level(of numbers: Range<Int>) throws(RowRefusal) -> Level {
        var packer = RowPacker()
        for number in numbers {
            let title = "\(number)"
            packer.beginRow(key: title.utf8Span.span, title: title.utf8Span.span)
            packer.add("Title".utf8Span.span, text: title.utf8Span.span)
            let (square, isTooLarge) = number.multipliedReportingOverflow(by: number)
            if !isTooLarge { packer.add("Square".utf8Span.span, .integer(PropertyListInteger(Int64(square)))) }
        }
        guard let level = packer.level() else {
            throw RowRefusal(kind: .unreadable, sentence: "There is no memory for the rows.")
        }
        return level
    }
}
