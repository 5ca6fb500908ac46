import PropertyLists
import TreeSources

/// The progress of a load in words, for a redrawn line and for a log.
struct ProgressText {
    private let status: LoadProgress.Status
    private let now: LoadProgress.Instant

    init(status: LoadProgress.Status, at now: LoadProgress.Instant) { (self.status, self.now) = (status, now) }

    /// The minimum size of a file with a bar of its own if there are several files. Smaller files take less than a
    /// second.
    private static let leastBarBytes = 64 << 20
    private static let mostBarColumns = 30
    private static let leastBarColumns = 10

    // MARK: Figures

    /// The completed share of the step, from 0 to 1. Nil if the size is unknown, or if the step reads a small file and
    /// there are several files.
    var share: Double? {
        guard let size = status.size, size > 0 else { return nil }
        if status.step == .reading, status.files > 1, size < Self.leastBarBytes { return nil }
        return Double(status.bytes) / Double(size)
    }

    /// The time until the end of the step at the speed so far; nil if it is too early to estimate.
    var left: Duration? {
        guard let share, share >= 0.02 else { return nil }
        return (now - status.stepBegun) * ((1 - share) / share)
    }

    /// The remaining time in words. It is rounded up, so that it is never `0 s`.
    private var shownLeft: String? { left.map { Self.time($0 + .milliseconds(999)) + " left" } }

    private var elapsed: Duration { now - status.begun }

    // MARK: Words

    /// Returns the activity, such as `reading Data.plist`.
    private func activity(_ name: String) -> String {
        let name = PrintableText.line(name)
        return switch status.step {
        case .waiting: "waiting for \(name)"
        case .receiving: "receiving \(name)"
        case .reading: status.files > 1 ? "reading \(name) (file \(status.files))" : "reading \(name)"
        }
    }

    /// The name of the source. The folder is left out if the source is a file that is being read.
    private var shortName: String {
        guard status.step == .reading, !status.name.contains("://") else { return status.name }
        return status.name.split(separator: "/").last.map(String.init) ?? status.name
    }

    /// The figures, the most important one first.
    private var figures: [String] {
        var figures: [String] = []
        if let share { figures.append("\(Int(share * 100)) %") }
        if let share, share > 0, let size = status.size {
            figures.append("\(Self.megabytes(status.bytes)) of \(Self.megabytes(size)) MB")
        } else if status.step != .waiting {
            figures.append("\(Self.megabytes(max(status.fileBytes, status.bytes))) MB")
        }
        if status.items > 0 { figures.append("\(Self.grouped(status.items)) items") }
        return figures
    }

    /// The line for a log: `reading Data.plist: 52 %, 208 of 399 MB, 570,000 items, 5 s so far, 5 s left`.
    var sentence: String {
        let times = ["\(Self.time(elapsed)) so far"] + (shownLeft.map { [$0] } ?? [])
        return activity(status.name) + ": " + (figures + times).joined(separator: ", ")
    }

    /// Returns the line to draw, narrower than the terminal:
    /// `reading Data.plist [=====>     ] 52 %  208 of 399 MB  5 s left`.
    func line(columns: Int) -> String {
        let width = max(columns - 1, 0)
        var parts = figures + [shownLeft ?? Self.time(elapsed)]
        // Drops figures, the least important first, and then the time, until a bar and a name have room. The first
        // figure stays.
        while parts.count > 1, Self.width(parts) + Self.leastBarColumns + Self.leastNameColumns > width {
            parts.remove(at: parts.count > 2 ? parts.count - 2 : 1)
        }
        let room = width - Self.width(parts) - Self.leastBarColumns - 2
        let name = Self.shortened(activity(shortName), to: max(room, 0))
        let bar = min(Self.mostBarColumns, width - Self.width(parts) - Self.columns(of: name) - 1)
        let words = (name.isEmpty ? [] : [name]) + (bar >= Self.leastBarColumns ? [self.bar(bar)] : [])
        return Self.cut(
            (words.isEmpty ? "" : words.joined(separator: " ") + " ") + parts.joined(separator: "  "), width: width)
    }

    // MARK: Width

    private static let leastNameColumns = 16

    private static func width(_ parts: [String]) -> Int { parts.reduce(0) { $0 + columns(of: $1) + 2 } }

    /// Returns the maximum number of columns of a text. A character that is not ASCII may take two columns.
    private static func columns(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) } }

    /// Shortens a text to at most `width` columns by leaving out its middle. If `width` is less than 8, a text that
    /// does not fit is left out as a whole.
    private static func shortened(_ text: String, to width: Int) -> String {
        guard columns(of: text) > width else { return text }
        guard width >= 8 else { return "" }
        let half = (width - 3) / 2
        return cut(text, width: half) + "..." + String(cut(String(text.reversed()), width: half).reversed())
    }

    private static func cut(_ text: String, width: Int) -> String {
        var text = text
        while columns(of: text) > width { text.removeLast() }
        return text
    }

    /// Returns a bar, or a moving block if the share is unknown.
    private func bar(_ width: Int) -> String {
        let inside = width - 2
        guard let share else {
            let block = 3
            let way = inside - block
            let step = Int(elapsed / .milliseconds(100)) % (2 * way)
            let start = step <= way ? step : 2 * way - step
            return "[" + Self.run(" ", count: start) + Self.run("=", count: block) + Self.run(" ", count: way - start)
                + "]"
        }
        let done = min(Int(share * Double(inside)), inside)
        let head = done < inside ? ">" : ""
        return "[" + Self.run("=", count: done) + head + Self.run(" ", count: inside - done - head.count) + "]"
    }

    private static func run(_ character: Character, count: Int) -> String {
        String(repeating: character, count: count)
    }

    // MARK: Numbers

    /// Returns the number of megabytes, with one decimal below ten.
    private static func megabytes(_ bytes: Int) -> String {
        let tenths = bytes / 100_000
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : grouped(tenths / 10)
    }

    /// Returns a number with commas between groups of three digits.
    static func grouped(_ number: Int) -> String {
        guard number >= 1_000 else { return "\(number)" }
        let rest = "\(number % 1_000)"
        return grouped(number / 1_000) + "," + run("0", count: 3 - rest.count) + rest
    }

    /// Returns `5 s`, `2 min 5 s` or `1 h 2 min`; the smallest unit is rounded down.
    static func time(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        if seconds < 60 { return "\(seconds) s" }
        return seconds < 3_600
            ? "\(seconds / 60) min \(seconds % 60) s" : "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    }
}
