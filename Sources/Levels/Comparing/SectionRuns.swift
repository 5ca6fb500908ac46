/// Gathers rows into sections by what tells the sections apart; rows without it are the last section.
struct SectionRuns<Mark: Hashable> {
    /// The number of each row's section, in order of first appearance; -1 for rows without a mark.
    private var numbers: [Int32] = []
    private var known: [Mark: Int32] = [:]
    private var marks: [Mark] = []
    /// The position of the first row of each section.
    private var firsts: [Int] = []
    private var counts: [Int] = []
    private var unmarked = 0

    /// Adds the next row.
    mutating func append(_ mark: Mark?) {
        guard let mark else {
            unmarked += 1
            return numbers.append(-1)
        }
        let number = known[mark] ?? begin(mark)
        counts[Int(number)] += 1
        numbers.append(number)
    }

    private mutating func begin(_ mark: Mark) -> Int32 {
        let number = Int32(marks.count)
        known[mark] = number
        marks.append(mark)
        firsts.append(numbers.count)
        counts.append(0)
        return number
    }

    /// The sections with their rows.
    ///
    /// - Parameters:
    ///   - isBefore: the order of the sections; nil for that of first appearance.
    ///   - heading: gives the title and the index of a section, by its mark and the position of its first row; nil for
    ///     those of the rows without a mark.
    consuming func divided(
        sorted isBefore: ((Mark, Mark) -> Bool)? = nil,
        heading: (Mark?, _ first: Int?) -> (title: String?, index: String?)
    ) -> (positions: [Int], sections: [Section]) {
        var order = Array(marks.indices)
        if let isBefore { order.sort { isBefore(marks[$0], marks[$1]) } }
        var starts = [Int](repeating: 0, count: marks.count)
        var sections: [Section] = []
        var start = 0
        for number in order {
            let (title, index) = heading(marks[number], firsts[number])
            sections.append(Section(title: title, index: index, start: start, count: counts[number]))
            starts[number] = start
            start += counts[number]
        }
        if unmarked > 0 {
            let (title, index) = heading(nil, nil)
            sections.append(Section(title: title, index: index, start: start, count: unmarked))
        }
        return (positions(starts, unmarkedStart: start), sections)
    }

    private func positions(_ starts: [Int], unmarkedStart: Int) -> [Int] {
        var next = starts
        var unmarked = unmarkedStart
        var positions = [Int](repeating: 0, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            if number < 0 {
                positions[unmarked] = position
                unmarked += 1
            } else {
                positions[next[Int(number)]] = position
                next[Int(number)] += 1
            }
        }
        return positions
    }
}
