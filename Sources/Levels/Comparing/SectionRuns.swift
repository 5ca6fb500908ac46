/// Gathers rows into sections by what tells the sections apart; rows without it are the last section.
struct SectionRuns<Mark: Hashable> {
    /// The number of each row's section; `unmarked` for rows without a mark.
    private var numbers: [Int32] = []
    private var known: [Mark: Int32] = [:]
    private(set) var marks: [Mark] = []

    /// What rows without a mark have in place of the number of a section.
    static var unmarked: Int32 { -1 }

    init(rows: Int) { numbers.reserveCapacity(rows) }

    /// The number of a section, which begins if it is not known.
    mutating func number(of mark: Mark) -> Int32 {
        if let number = known[mark] { return number }
        let number = Int32(marks.count)
        known[mark] = number
        marks.append(mark)
        return number
    }

    /// Adds the next row to a section.
    mutating func append(_ number: Int32) { numbers.append(number) }

    /// The rows of sections.
    struct Divided {
        /// The positions of the rows, in the order of the sections.
        let positions: [Int]
        /// The sections in order; `unmarked` is the last.
        let numbers: [Int32]
        /// The start of each of these sections.
        let starts: [Int]
    }

    /// The rows divided into sections.
    ///
    /// - Parameters:
    ///   - order: the order of the rows, by their numbers as they were added; nil for that one.
    ///   - isBefore: the order of the sections; nil for that of first appearance.
    consuming func divided(rows order: [Int]?, sorted isBefore: ((Mark, Mark) -> Bool)? = nil) -> Divided {
        // The place after the last is that of the rows without a mark.
        var counts = [Int](repeating: 0, count: marks.count + 1)
        var sections: [Int32] = []
        for row in numbers.indices {
            let number = numbers[order?[row] ?? row]
            let place = number < 0 ? marks.count : Int(number)
            if counts[place] == 0, number >= 0 { sections.append(number) }
            counts[place] += 1
        }
        if let isBefore { sections.sort { isBefore(marks[Int($0)], marks[Int($1)]) } }
        if counts[marks.count] > 0 { sections.append(Self.unmarked) }
        var starts: [Int] = []
        var start = 0
        var next = counts
        for number in sections {
            let place = number < 0 ? marks.count : Int(number)
            starts.append(start)
            next[place] = start
            start += counts[place]
        }
        var positions = [Int](repeating: 0, count: numbers.count)
        for row in numbers.indices {
            let position = order?[row] ?? row
            let place = numbers[position] < 0 ? marks.count : Int(numbers[position])
            positions[next[place]] = position
            next[place] += 1
        }
        return Divided(positions: positions, numbers: sections, starts: starts)
    }
}
