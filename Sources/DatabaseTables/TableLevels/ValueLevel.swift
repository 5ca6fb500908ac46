internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// The rows of a value in a column of JSON, or of a part of it, which are read as those of a document
/// (manual, Documents as they are).
struct ValueLevel: TableLevel {
    /// The steps from the value to the part.
    private let steps: [Item.Step]
    private let rows: TreeRows

    private init(steps: [Item.Step], rows: TreeRows) { (self.steps, self.rows) = (steps, rows) }

    /// The result is nil for a value without rows.
    init?(_ value: PropertyListValue) throws(DatabaseError) {
        guard value.holdsRows else { return nil }
        do throws(PropertyListError) {
            var survey = NaturalSurvey()
            var walk = PropertyListValueWalk(value)
            try walk.finish(to: &survey)
            var builder = NaturalTreeBuilder(survey.finish())
            walk = PropertyListValueWalk(value)
            try walk.finish(to: &builder)
            let document = try builder.finish().document
            steps = [Item.Step(level: document, row: 0)]
            rows = TreeRows(document: document, arrangements: ArrangementCache(bytes: 0))
        } catch {
            throw DatabaseError(kind: .other, reason: error.reason)
        }
    }

    /// The part, as an item of the value.
    private var own: Item {
        Item(steps: steps, count: steps[steps.count - 1].level.childCount(steps[steps.count - 1].row))
    }

    func find(_ written: [UInt8], key: String, isWhole: Bool) -> FoundRow? {
        guard let level = own.level, let row = level.row(withKey: Array(key.utf8).span) else { return nil }
        let below = ValueLevel(steps: steps + [Item.Step(level: level, row: row)], rows: rows)
        return FoundRow(step: Item.Step(level: level, row: row), below: below) { item, children in
            let detail = rows.detail(of: below.own)
            return ItemDetail(
                item: item, position: detail.position, of: detail.count, section: detail.section,
                previous: detail.previous, next: detail.next, children: children)
        }
    }

    func count() -> Int { own.count }

    func page(_ query: RowQuery) throws -> RowPage { try rows.page(query, below: own) }

    func ends() -> ItemDetail.ChildRows { rows.detail(of: own).children }
}

extension PropertyListValue {
    /// Whether a row, not a field, shows the value below a record: it is a map or a list (manual, Documents as they are).
    var holdsRows: Bool {
        switch self {
        case .array(let elements): elements.contains { if case .dictionary = $0 { true } else { false } }
        case .dictionary(let dictionary):
            !dictionary.entries.isEmpty
                && dictionary.entries.allSatisfy { entry in
                    switch entry.value {
                    case .array, .dictionary: true
                    default: false
                    }
                }
        default: false
        }
    }
}
