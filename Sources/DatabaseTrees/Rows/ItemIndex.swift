/// The ids of the items of a tree, by the places of the items. Takes eight bytes for an item, and sixteen more if the
/// rows of its level were rearranged.
///
/// An index belongs to one state of the tree. A path consists of row numbers, from the root's level down. The path of
/// the root is empty.
struct ItemIndex {
    /// A row of a level.
    struct Slot: Equatable {
        let id: Int64
        var position: Int64
    }

    /// The rows below each item that has rows, in the order of the level. The keys are the ids of the items.
    private var rows = SharedParts<Slots>()
    /// The parent of each item. A page has the parents of consecutive ids.
    private var parents = SharedParts<[Int64]>()
    /// The items that have rows, but lack a place for rows in their fields in the database. The value is true if the
    /// fields are a string.
    var placeless: [Int64: Bool] = [:]
    private static let pageBits = 8
    private static let none = Int64.min
    /// More levels than any tree has. A longer path is a cycle.
    private static let deepest = 1_024

    /// The rows below an item, in the order of the level.
    func rows(below id: Int64) -> [Slot] { rows[id]?.all ?? [] }

    /// The number of rows below an item.
    func rowCount(below id: Int64) -> Int { rows[id]?.count ?? 0 }

    /// A row below an item, by its number in the level; nil if the item has fewer rows.
    func row(_ number: Int, below id: Int64) -> Slot? {
        rows[id].flatMap { number < $0.count ? $0[number] : nil }
    }

    /// Sets the rows below an item. If some of the rows come from another item, the caller must also remove them from
    /// the rows below that item.
    mutating func setRows(_ slots: [Slot], below id: Int64) {
        // During a load, all rows are new. An edit changes only a few of them.
        let moved = rows[id] == nil ? slots : slots.filter { parent(of: $0.id) != id }
        rows[id] = slots.isEmpty ? nil : Slots(slots)
        setParent(id, of: moved.lazy.map(\.id))
    }

    /// The id of the item above an item; nil for the root, and for an unknown id.
    func parent(of id: Int64) -> Int64? {
        guard let page = parents[id >> Self.pageBits] else { return nil }
        let parent = page[Int(id & (1 << Self.pageBits - 1))]
        return parent == Self.none ? nil : parent
    }

    private mutating func setParent(_ parent: Int64, of ids: some Collection<Int64>) {
        var next = ids.startIndex
        // Consecutive ids are in one page.
        func fill(_ parents: inout [Int64], page: Int64) {
            while next < ids.endIndex, ids[next] >> Self.pageBits == page {
                parents[Int(ids[next] & (1 << Self.pageBits - 1))] = parent
                ids.formIndex(after: &next)
            }
        }
        while next < ids.endIndex {
            let page = ids[next] >> Self.pageBits
            fill(&parents[page, default: Array(repeating: Self.none, count: 1 << Self.pageBits)], page: page)
        }
    }

    /// Forgets an item and everything below it.
    mutating func forget(_ id: Int64) {
        var work = [id]
        while let next = work.popLast() {
            if parent(of: next) != nil { setParent(Self.none, of: CollectionOfOne(next)) }
            placeless[next] = nil
            if let below = rows[next] {
                rows[next] = nil
                // Rows that were moved to another item already have another parent.
                work += below.all.filter { parent(of: $0.id) == next }.map(\.id)
            }
        }
    }

    func holds(_ id: Int64) -> Bool { id == 0 || parent(of: id) != nil }

    /// The id of the item at a path; nil for rows that are not items of the database, such as records.
    func id(at path: some Sequence<Int>) -> Int64? {
        var id: Int64 = 0
        for row in path {
            guard let below = rows[id], row < below.count else { return nil }
            id = below[row].id
        }
        return id
    }

    /// The path of an item; nil for an unknown id, and for an item that is below itself. Takes O(n) time for n rows in
    /// the levels that lead to the item.
    func path(of id: Int64) -> [Int]? {
        var path: [Int] = []
        var id = id
        while id != 0 {
            guard path.count <= Self.deepest, let parent = parent(of: id),
                let row = rows[parent]?.row(of: id)
            else {
                return nil
            }
            path.append(row)
            id = parent
        }
        return path.reversed()
    }
}

/// The rows of a level.
private enum Slots {
    /// Rows as an import writes them: their ids and their positions are evenly spaced.
    case even(first: ItemIndex.Slot, idStep: Int64, positionStep: Int64, count: Int)
    case listed([ItemIndex.Slot])

    init(_ slots: [ItemIndex.Slot]) {
        guard let first = slots.first else {
            self = .listed([])
            return
        }
        let second = slots.count > 1 ? slots[1] : first
        let even = Slots.even(
            first: first, idStep: second.id &- first.id, positionStep: second.position &- first.position,
            count: slots.count)
        self = slots.indices.allSatisfy { even[$0] == slots[$0] } ? even : .listed(slots)
    }

    var count: Int {
        switch self {
        case .even(_, _, _, let count): count
        case .listed(let slots): slots.count
        }
    }

    subscript(row: Int) -> ItemIndex.Slot {
        switch self {
        case .even(let first, let idStep, let positionStep, _):
            ItemIndex.Slot(
                id: first.id &+ Int64(row) &* idStep, position: first.position &+ Int64(row) &* positionStep)
        case .listed(let slots): slots[row]
        }
    }

    var all: [ItemIndex.Slot] {
        switch self {
        case .even: (0..<count).map { self[$0] }
        case .listed(let slots): slots
        }
    }

    func row(of id: Int64) -> Int? { (0..<count).first { self[$0].id == id } }
}

/// A dictionary whose copies share the parts that have not changed. Each edit changes a copy of the index, so a copy
/// must be cheap.
private struct SharedParts<Value> {
    private var parts = [[Int64: Value]](repeating: [:], count: 1 << 10)

    private func part(of key: Int64) -> Int { Int(key & 0x3FF) }

    subscript(key: Int64) -> Value? {
        get { parts[part(of: key)][key] }
        set { parts[part(of: key)][key] = newValue }
    }

    subscript(key: Int64, default value: @autoclosure () -> Value) -> Value {
        get { parts[part(of: key)][key] ?? value() }
        _modify { yield &parts[part(of: key)][key, default: value()] }
    }
}
