import Bytes
import Glibc
import PropertyLists

/// The log: one line per event on standard error, as text or as JSON. Failing to write it does not stop the service.
struct Log: Sendable {
    enum Format: String, CaseIterable { case text, json }

    private let format: Format
    /// Whether lines of text have a time: not on a terminal, and not if the service manager adds one.
    private let isTimed: Bool

    init(_ format: Format, isTimed: Bool = false) { (self.format, self.isTimed) = (format, isTimed) }

    /// Writes one event.
    func write(_ entry: Entry) {
        // The time of the line is the time of the event, because events are logged at once.
        let moment = Double(time(nil)) - CivilDate.unixEpochOffset
        Self.putLine(line(of: entry, at: moment, isColored: StandardError.shared.isColored), entry.severity)
    }

    /// Writes a line for people on standard error; its control characters are shown escaped.
    ///
    /// - Parameter severity: for systemd's journal; the line does not show it.
    static func put(_ text: String, _ severity: Severity) {
        putLine(PrintableText.line(text), severity)
    }

    private static func putLine(_ line: String, _ severity: Severity) {
        let output = StandardError.shared
        output.putLine((output.isJournal ? severity.journalPrefix : "") + line)
    }

    /// How loads that take long are shown here.
    var progressStyle: ProgressDisplay.Style {
        let output = StandardError.shared
        return format == .text && output.isTerminal ? .bar(output) : .lines { write($0) }
    }

    /// An event's line, without its end.
    ///
    /// - Parameters:
    ///   - moment: in seconds since 2001-01-01T00:00:00Z.
    ///   - isColored: whether the severity is coloured; text only.
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
            case .decimal(let number): writer.real(number)
            case .flag(let flag): writer.boolean(flag)
            }
        }
        writer.endDictionary()
        return String(utf8: writer.output.span)
    }
}
