import Bytes
import Levels
import PropertyLists

/// One item in two trees, compared by what its detail shows of it and of its neighbours.
struct ShownItems {
    let old: Item.Step
    let new: Item.Step

    var hasOtherTitle: Bool { !Self.isSame(\.title, old, new) }

    /// Whether the detail differs in anything but the titles above the item and the number of its section.
    var hasOtherDetail: Bool {
        old.row != new.row || old.level.count != new.level.count || hasOtherTitle || !hasSameFields(.all)
            || !hasSameChildren || !isSameLink(at: -1) || !isSameLink(at: 1)
    }

    /// Whether the row differs in what a level's answer shows.
    var hasOtherRow: Bool {
        !Self.isSame(\.key, old, new) || hasOtherTitle
            || old.level.childCount(old.row) != new.level.childCount(new.row) || !hasSameFields(.cell)
    }

    private var hasSameChildren: Bool {
        let count = old.level.childCount(old.row)
        guard count == new.level.childCount(new.row) else { return false }
        guard count > 0, let before = old.level.child(old.row), let after = new.level.child(new.row) else {
            return true
        }
        return [0, count - 1].allSatisfy {
            Self.isSameLink(Item.Step(level: before, row: $0), Item.Step(level: after, row: $0))
        }
    }

    /// Whether the link to the neighbour at a distance is the same; the lists are known to be of one length.
    private func isSameLink(at distance: Int) -> Bool {
        let row = new.row + distance
        guard row >= 0, row < new.level.count else { return true }
        return Self.isSameLink(
            Item.Step(level: old.level, row: old.row + distance), Item.Step(level: new.level, row: row))
    }

    private static func isSameLink(_ one: Item.Step, _ other: Item.Step) -> Bool {
        isSame(\.title, one, other) && isSame(\.key, one, other)
    }

    private static func isSame(_ part: KeyPath<Row, Range<Int>>, _ one: Item.Step, _ other: Item.Step) -> Bool {
        let bytes = one.level.bytes
        let others = other.level.bytes
        return bytes.span.extracting(one.level.row(one.row)[keyPath: part])
            .isEqual(to: others.span.extracting(other.level.row(other.row)[keyPath: part]))
    }

    /// Fields that are packed alike show alike; else what they show decides, since structure among them is not shown.
    private func hasSameFields(_ selection: FieldSelection) -> Bool {
        if Self.isSame(\.fields, old, new),
            old.level.row(old.row).isString == new.level.row(new.row).isString, !hasOtherTitle
        {
            return true
        }
        guard let before = Self.shown(selection, old), let after = Self.shown(selection, new) else { return false }
        return before == after
    }

    private static func shown(_ selection: FieldSelection, _ step: Item.Step) -> [UInt8]? {
        do { return try written(selection, step) } catch { return nil }
    }

    private static func written(_ selection: FieldSelection, _ step: Item.Step) throws(PropertyListError) -> [UInt8] {
        var writer: JSONPropertyListWriter = .init()
        let bytes = step.level.bytes
        writer.beginObject()
        try RowFields.tell(selection, of: step.level.row(step.row), in: bytes.span, to: &writer)
        writer.endObject()
        let body = try writer.body()
        return Array(copying: body.span)
    }
}
