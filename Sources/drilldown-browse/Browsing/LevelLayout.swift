import DrilldownClient

/// The lines of a level: its rows, the titles of its sections above them and their footers below.
///
/// It holds a number for each section, so a long level costs no more than a short one.
struct LevelLayout: Equatable, Sendable {
    /// What one line shows.
    enum Line: Equatable, Sendable {
        case title(section: Int)
        case row(Int)
        case footer(section: Int)
    }

    private let sections: [Level.Section]
    /// The first line of each section.
    private let starts: [Int]
    /// The number of lines.
    let count: Int

    init(_ sections: [Level.Section] = []) {
        self.sections = sections
        var starts: [Int] = []
        var count = 0
        for section in sections {
            starts.append(count)
            count += section.count + (Self.hasTitle(section) ? 1 : 0) + (Self.hasFooter(section) ? 1 : 0)
        }
        self.starts = starts
        self.count = count
    }

    private static func hasTitle(_ section: Level.Section) -> Bool { section.title?.isEmpty == false }
    private static func hasFooter(_ section: Level.Section) -> Bool { section.footer?.isEmpty == false }

    /// What a line shows; nil after the last one.
    func line(_ number: Int) -> Line? {
        guard number >= 0, number < count else { return nil }
        let index = Self.last(in: starts) { $0 <= number }
        let section = sections[index]
        let offset = number - starts[index] - (Self.hasTitle(section) ? 1 : 0)
        if offset < 0 { return .title(section: index) }
        return offset < section.count ? .row(section.start + offset) : .footer(section: index)
    }

    /// The line of a row.
    func line(ofRow row: Int) -> Int {
        guard !sections.isEmpty else { return 0 }
        let index = Self.last(in: sections) { $0.start <= row && $0.count > 0 || $0.start < row }
        let section = sections[index]
        return starts[index] + (Self.hasTitle(section) ? 1 : 0) + row - section.start
    }

    /// The first line to show with a row, so that the title of its section is seen too.
    func firstLine(above row: Int) -> Int {
        let line = line(ofRow: row)
        if case .title = self.line(line - 1) { return line - 1 }
        return line
    }

    /// The position of the last element that fulfils a condition, which holds for a beginning of the list; 0 if none does.
    private static func last<Element>(in list: [Element], where holds: (Element) -> Bool) -> Int {
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if holds(list[middle]) { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }
}
