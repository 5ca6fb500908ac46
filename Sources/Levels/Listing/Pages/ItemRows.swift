/// The rows below an item of a document. They are not in memory, but are read for each answer.
public protocol ItemRows: RowsElsewhere {
    /// Returns the source of the rows below an item of a document.
    func rows(below item: Item) -> any RowSource
}

extension Snapshot {
    /// Whether the snapshot was published because the database of an item has changed.
    public var isCommitElsewhere: Bool {
        guard case .database = cause else { return false }
        return composition?.holdsRowsElsewhere == true
    }

    /// The source of the rows at a path, if the path leads to an item whose rows are not in memory, or to one of these
    /// rows; otherwise nil.
    public func rowsElsewhere(at path: ItemPath) -> (any RowSource)? {
        guard let composition, composition.holdsRowsElsewhere else { return nil }
        let item: Item
        switch Item.find(path, in: document) {
        case .found(let found): item = found
        case .missing(let nearest, _): item = nearest
        }
        guard item.level?.countElsewhere != nil else { return nil }
        let (file, own) = composition.origin(of: item)
        var part = own.own.level.part(own.own.row).flatMap { file.parts[$0] }
        // The root of a mounted document may have the rows.
        while case .composed(let mounted)? = part { part = mounted.source.part(0).flatMap { mounted.parts[$0] } }
        guard case .elsewhere(let rows)? = part else { return nil }
        return (rows as? any ItemRows)?.rows(below: item)
    }
}
