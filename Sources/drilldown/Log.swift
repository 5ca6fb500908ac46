import Glibc
import PropertyLists

/// The log: one line an event on standard error, as text or as JSON. A log that cannot be written is no reason to stop.
struct Log: Sendable {
    enum Format: String, CaseIterable { case text, json }

    enum Severity: String { case info, warning, error }

    private let format: Format

    init(_ format: Format) { self.format = format }

    /// Writes one event.
    ///
    /// - Parameter details: members of the JSON line; the text says it all in words.
    func write(_ severity: Severity, _ event: String, _ text: String, _ details: [(name: String, value: String)] = []) {
        let line =
            switch format {
            case .text: "drilldown: " + (severity == .info ? "" : "\(severity.rawValue): ") + Self.oneLine(text)
            case .json: json(severity, event, text, details)
            }
        Self.put(line + "\n")
    }

    /// Writes a line on standard error, in one piece where the system does.
    static func put(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = unsafe Glibc.write(STDERR_FILENO, start, bytes.count)
        }
    }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    private func json(
        _ severity: Severity, _ event: String, _ text: String, _ details: [(name: String, value: String)]
    ) -> String {
        var writer = JSONPropertyListWriter()
        let nowhere = SourcePosition.byte(offset: 0)
        let now = Double(time(nil)) - CivilDate.unixEpochOffset
        let members =
            [("time", JSONText.date(now)), ("level", severity.rawValue), ("event", event), ("message", text)] + details
        writer.beginDictionary(at: nowhere)
        for (name, value) in members {
            writer.key(name.utf8Span.span, at: nowhere)
            writer.string(value.utf8Span.span)
        }
        writer.endDictionary()
        return String(utf8: writer.output.span)
    }
}
