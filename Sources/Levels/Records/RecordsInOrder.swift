/// The records of a table in the order of the table, however they are drilled.
struct RecordsInOrder {
    private var records: [Item.Step] = []
    /// The number of records.
    var count: Int { records.count }

    /// A record, by its place in the order.
    subscript(place: Int) -> Item.Step { records[place] }

    /// Collects the records in and below a level; O(n) if it is a whole table, else O(n log n).
    init(below level: Level) {
        var numbers: [(number: Int, step: Item.Step)] = []
        numbers.reserveCapacity(level.itemCount)
        var waiting = [level]
        while let level = waiting.popLast() {
            if level.form == .facets {
                for child in level.children.reversed() { if let child { waiting.append(child) } }
            } else {
                let bytes = level.bytes
                for row in 0..<level.rowCount {
                    numbers.append((level.row(row).recordNumber(in: bytes.span), Item.Step(level: level, row: row)))
                }
            }
        }
        records = Self.sorted(numbers)
    }

    private static func sorted(_ numbers: [(number: Int, step: Item.Step)]) -> [Item.Step] {
        let isWhole = numbers.allSatisfy { (1...numbers.count).contains($0.number) }
        guard isWhole, let any = numbers.first else {
            return numbers.sorted { $0.number < $1.number }.map(\.step)
        }
        var records = [Item.Step](repeating: any.step, count: numbers.count)
        for (number, step) in numbers { records[number - 1] = step }
        return records
    }
}
