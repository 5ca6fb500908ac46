import Bytes
import DrilldownDates
import Glibc
import Locking
import PropertyLists
import Synchronization

/// The log: one line per event on standard error, as text or as JSON. A failure to write a line is ignored.
struct Log: Sendable {
    enum Format: String, CaseIterable { case text, json }

    private let format: Format
    /// Whether lines of text begin with the time. False on a terminal, and in systemd's journal, which adds the time.
    private let isTimed: Bool

    init(format: Format, isTimed: Bool = false) { (self.format, self.isTimed) = (format, isTimed) }

    func write(_ entry: Entry) {
        // The time of the line is the time of the event, because events are logged at once.
        let moment = Double(time(nil)) - CivilDate.unixEpochOffset
        Self.putLine(line(of: entry, at: moment, isColored: StandardError.shared.isColored), severity: entry.severity)
    }

    /// Writes a line of text to standard error, whatever the format is. Control characters are escaped.
    ///
    /// - Parameter severity: the severity for systemd's journal; the line does not show it.
    static func put(_ text: String, severity: Severity) {
        putLine(PrintableText.line(text), severity: severity)
    }

    private static func putLine(_ line: String, severity: Severity) {
        let output = StandardError.shared
        output.putLine((output.isJournal ? severity.journalPrefix : "") + line)
    }

    /// The display of long loads: a bar for the text format on a terminal, otherwise log lines.
    var progressStyle: ProgressDisplay.Style {
        let output = StandardError.shared
        return format == .text && output.isTerminal ? .bar(output) : .lines { write($0) }
    }

    /// Returns the line of an event, without a line feed.
    ///
    /// - Parameters:
    ///   - moment: the time of the event, in seconds since 2001-01-01T00:00:00Z.
    ///   - isColored: whether the severity is coloured; ignored in the JSON format.
    func line(of entry: Entry, at moment: Double, isColored: Bool = false) -> String {
        switch format {
        case .text:
            (isTimed ? JSONText.date(moment) + " " : "") + "drilldown: "
                + (entry.severity == .info ? "" : "\(entry.severity.word(isColored)): ")
                + PrintableText.line(entry.text)
        case .json: PrintableText.json(json(entry, at: moment))
        }
    }

    private func json(_ entry: Entry, at moment: Double) -> String {
        var writer = JSONPropertyListWriter()
        let nowhere = SourcePosition.byte(offset: 0)
        let members: [Member] = [
            Member("time", .text(JSONText.date(moment))), Member("level", .text(entry.severity.rawValue)),
            Member("event", .text(entry.event)), Member("message", .text(entry.text)),
        ]
        writer.beginDictionary(at: nowhere)
        for member in members + entry.members {
            writer.key(member.name.utf8Span.span, at: nowhere)
            switch member.value {
            case .text(let text): writer.string(text.utf8Span.span)
            case .number(let number): writer.integer(PropertyListInteger(Int64(number)))
            case .decimal(let number): writer.rawValue(JSONText.real(number).utf8Span.span)
            case .flag(let flag): writer.boolean(flag)
            }
        }
        writer.endDictionary()
        return String(utf8: writer.output.span)
    }
}

extension Log {
    enum Severity: String {
        case info, warning, error

        /// The prefix from which systemd's journal takes the severity. The journal removes the prefix. A line without a
        /// prefix is information.
        var journalPrefix: String {
            switch self {
            case .info: ""
            case .warning: "<4>"
            case .error: "<3>"
            }
        }

        /// Returns the word for the severity. If `isColored` is true, a warning and an error are bold and coloured
        /// (ECMA-48, SGR).
        func word(_ isColored: Bool) -> String {
            guard isColored else { return rawValue }
            return switch self {
            case .info: rawValue
            case .warning: "\u{1B}[1;33m\(rawValue)\u{1B}[0m"
            case .error: "\u{1B}[1;31m\(rawValue)\u{1B}[0m"
            }
        }
    }

    struct Member: Equatable {
        enum Value: Equatable {
            case text(String)
            case number(Int)
            case decimal(Double)
            case flag(Bool)
        }

        let name: String
        let value: Value

        init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
    }

    /// One event, which is one line of the log.
    struct Entry: Equatable {
        let severity: Severity
        /// The kind of event; one word, for programs.
        let event: String
        /// The whole event as a sentence.
        let text: String
        /// The members of the JSON line in addition to time, level, event and message.
        let members: [Member]

        init(severity: Severity, event: String, text: String, members: [Member] = []) {
            (self.severity, self.event, self.text, self.members) = (severity, event, text, members)
        }
    }
}

/// Standard error. It shows whole lines and, on a terminal, a line below them that is redrawn.
final class StandardError: Sendable {
    static let shared = StandardError(
        descriptor: STDERR_FILENO, terminalType: environmentText("TERM"),
        refusesColors: environmentText("NO_COLOR") != nil,
        journalStream: environmentText("JOURNAL_STREAM"))

    /// Whether lines can be redrawn. True if the output is a terminal that understands control sequences.
    let isTerminal: Bool
    /// Whether words may be coloured (no-color.org).
    let isColored: Bool
    /// Whether systemd's journal reads the output and takes the severity from the beginning of a line (sd-daemon(3)).
    let isJournal: Bool
    private let descriptor: Int32
    /// The line at the bottom of the terminal; nil if no line is drawn.
    private let bottom = Guarded<String?>(nil)
    /// Whether `bottom` is set. Signal handlers read this flag.
    private let hasBottom = Atomic(false)

    /// Moves to the beginning of the line, and clears the line (ECMA-48, EL).
    private static let clearing = "\r\u{1B}[K"
    private static let usualColumns = 80

    /// - Parameter journalStream: the device and the inode of the standard error that the service manager gave the
    ///   process (systemd.exec(5)). They are compared with the device and the inode of the descriptor, because the
    ///   output may have been redirected since then, or the variable may have been inherited from a parent.
    init(descriptor: Int32, terminalType: String?, refusesColors: Bool, journalStream: String? = nil) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) != 0 && terminalType.map { $0 != "dumb" } ?? false
        isColored = isTerminal && !refusesColors
        var status = stat()
        isJournal = unsafe fstat(descriptor, &status) == 0 && journalStream == "\(status.st_dev):\(status.st_ino)"
    }

    /// The current width of the terminal in columns; 80 if unknown.
    var columns: Int {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return Self.usualColumns }
        return Int(size.ws_col)
    }

    /// Writes a line above the line at the bottom.
    func putLine(_ line: String) {
        guard isTerminal else { return write(line + "\n") }
        bottom.withLock { bottom in
            write(bottom.map { Self.clearing + line + "\n" + $0 } ?? line + "\n")
        }
    }

    /// Redraws the line at the bottom.
    ///
    /// - Parameter line: returns the line, which must be narrower than the terminal, or nil to clear the line. The
    ///   closure is called while no other thread writes.
    func draw(_ line: () -> String?) {
        bottom.withLock { bottom in
            let new = line()
            guard new != nil || bottom != nil else { return }
            // Signal handlers read this flag. It is true while a line is on the terminal.
            if new != nil { hasBottom.store(true, ordering: .relaxed) }
            write(Self.clearing + (new ?? ""))
            if new == nil { hasBottom.store(false, ordering: .relaxed) }
            bottom = new
        }
    }

    /// Clears the line at the bottom before the process ends. A signal handler may call this.
    func clearAtOnce() {
        guard hasBottom.load(ordering: .relaxed) else { return }
        _ = unsafe Glibc.write(descriptor, "\r\u{1B}[K", 4)
    }

    /// Writes the text in one system call. The system usually writes the whole text; a remainder is lost.
    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = unsafe Glibc.write(descriptor, start, bytes.count)
        }
    }

    /// Returns the value of a variable; nil if it is unset or empty.
    private static func environmentText(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }
}

/// The escaping of lines for a terminal, so that titles, targets or file names cannot send control sequences.
///
/// Messages already quote text from outside; this is a second protection.
enum PrintableText {
    private static let mostCharacters = 64 << 10

    /// Returns a line of text with control characters and bidirectional marks in the form `\u{1B}`.
    static func line(_ text: String) -> String {
        QuotedText.isPlain(text) ? text : QuotedText(text: text, most: mostCharacters).description
    }

    /// Returns JSON text with the same characters in the form `\u001b`. They can occur only in the strings of the JSON
    /// text.
    static func json(_ json: String) -> String {
        guard !QuotedText.isPlain(json) else { return json }
        var escaped = ""
        for scalar in json.unicodeScalars {
            guard !QuotedText.isPlain(String(scalar)) else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                escaped += "\\u" + String(hexadecimal: unit, digits: 4, uppercase: false)
            }
        }
        return escaped
    }
}
