/// Finds items in and below a level by their numbers in document order; it goes on from the item found last.
struct ItemLocator {
    /// A level on the way to the item.
    struct Step {
        let level: Level
        /// The number of the level's first item, and that after its last one.
        let items: Range<Int>
        /// The row on the way, and its number.
        fileprivate(set) var row = 0
        fileprivate var number: Int
        fileprivate let plan: SearchPlan?
        /// The number of the level among a listing's branches; nil until it has one.
        var branch: Int?

        fileprivate init(_ level: Level, first: Int, _ texts: SearchTexts) {
            self.level = level
            items = first..<first + level.itemCount
            number = first
            // The rows of a level of leaves need no search.
            plan = texts.isLarge(level) && !level.children.isEmpty ? texts.plan(of: level) : nil
        }

        /// Goes to the row that an item is in or below, which is not before the present one.
        fileprivate mutating func advance(to item: Int) {
            if level.children.isEmpty {
                (row, number) = (item - items.lowerBound, item)
                return
            }
            if let part = plan?.part(of: item - items.lowerBound), items.lowerBound + part.first > number {
                (row, number) = (part.rows.lowerBound, items.lowerBound + part.first)
            }
            while true {
                let next = number + 1 + (level.child(row)?.itemCount ?? 0)
                if item < next { return }
                (row, number) = (row + 1, next)
            }
        }
    }

    /// From the level to the item's own row.
    var steps: [Step]
    private let texts: SearchTexts

    init(_ level: Level, _ texts: SearchTexts) {
        self.texts = texts
        steps = [Step(level, first: 0, texts)]
        steps[0].branch = 0
    }

    /// Goes to an item of the level, or below it.
    mutating func move(to item: Int) {
        while steps.count > 1, !steps[steps.count - 1].items.contains(item) { steps.removeLast() }
        if item < steps[steps.count - 1].number {
            steps[steps.count - 1].number = steps[steps.count - 1].items.lowerBound
            steps[steps.count - 1].row = 0
        }
        while true {
            steps[steps.count - 1].advance(to: item)
            let step = steps[steps.count - 1]
            guard item > step.number, let below = step.level.child(step.row) else { return }
            steps.append(Step(below, first: step.number + 1, texts))
        }
    }
}
