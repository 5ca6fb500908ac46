@testable import DrilldownClient

/// Random levels and random changes of them.
struct RandomLevel {
    var random: SystemRandomNumberGenerator = .init()
    private var made = 0

    /// A level with some rows in some sections.
    mutating func level(rows count: Int) -> Level {
        let rows = (0..<count).map { _ in row() }
        return level(rows, sections: sections(of: count))
    }

    /// A level that shares some rows with another level.
    mutating func changed(_ old: Level) -> Level {
        var rows = old.rows
        for _ in 0..<Int.random(in: 0...4, using: &random) { change(&rows) }
        let sections = Bool.random(using: &random) ? sections(of: rows.count) : fitting(old.sections, to: rows.count)
        return level(rows, sections: sections)
    }

    private mutating func change(_ rows: inout [Row]) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where !rows.isEmpty: rows.remove(at: .random(in: rows.indices, using: &random))
        case 1 where !rows.isEmpty:
            let row = rows.remove(at: .random(in: rows.indices, using: &random))
            rows.insert(row, at: .random(in: 0...rows.count, using: &random))
        case 2 where !rows.isEmpty: rows[.random(in: rows.indices, using: &random)].version = version()
        case 3 where rows.count > 1:
            rows.swapAt(.random(in: rows.indices, using: &random), .random(in: rows.indices, using: &random))
        case 4: rows.shuffle(using: &random)
        default: rows.insert(row(), at: .random(in: 0...rows.count, using: &random))
        }
    }

    private mutating func row() -> Row {
        made += 1
        return Row(key: "Row \(made)", version: version())
    }

    private mutating func version() -> String { String(UInt32.random(in: 0...UInt32.max, using: &random), radix: 36) }

    private mutating func level(_ rows: [Row], sections: [Level.Section]) -> Level {
        Level(title: "Root", path: .root, version: version(), sections: sections, rows: rows)
    }

    /// Sections that begin at random rows.
    private mutating func sections(of count: Int) -> [Level.Section] {
        let starts = [0] + (0..<2).map { _ in Int.random(in: 0...count, using: &random) }.sorted()
        return zip(starts, starts.dropFirst() + [count]).enumerated().map { number, bounds in
            Level.Section(title: "Section \(number)", start: bounds.0, count: bounds.1 - bounds.0)
        }
    }

    /// The same sections, of which the last ones have more or fewer rows.
    private func fitting(_ sections: [Level.Section], to count: Int) -> [Level.Section] {
        var result = sections
        for number in result.indices {
            let start = min(result[number].start, count)
            let end = number == result.count - 1 ? count : min(result[number].start + result[number].count, count)
            (result[number].start, result[number].count) = (start, end - start)
        }
        return result
    }
}
