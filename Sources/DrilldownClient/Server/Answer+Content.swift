import Foundation

extension Answer {
    /// The media type without its parameters, in lower case; empty if there is none.
    var mediaType: String {
        let type = header["content-type"]?.prefix { $0 != ";" } ?? ""
        return type.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// Whether the body is announced as JSON.
    var isJSON: Bool { mediaType == "application/json" || mediaType.hasSuffix("+json") }

    /// What the body is, for a sentence: its length, its type and how it begins.
    var summary: String {
        guard !body.isEmpty else { return "an empty body" }
        let type = mediaType.isEmpty ? "no type" : "the type \(mediaType.prefix(80))"
        return "\(body.count) bytes of \(type) that begin with '\(beginning)'"
    }

    /// The first characters of the body, without what would break a line.
    private var beginning: String {
        let text = String(decoding: body.prefix(48), as: UTF8.self)
        let isCut = body.count > 48
        let shown = String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return isCut ? shown + "…" : shown
    }

    /// How many seconds to wait before the next attempt, if the answer says so (RFC 9110, 10.2.3).
    ///
    /// A date counts from the answer's own `Date`, if it has one: the clocks of both sides may differ.
    var retryAfter: Double? {
        guard let text = header["retry-after"] else { return nil }
        if let seconds = Double(text) { return seconds.isFinite && seconds >= 0 ? seconds : nil }
        guard let date = HTTPDate.date(text) else { return nil }
        let now = header["date"].flatMap(HTTPDate.date) ?? Date()
        return max(0, date.timeIntervalSince(now))
    }
}
