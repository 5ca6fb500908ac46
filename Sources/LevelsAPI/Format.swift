import HTTPServer
import PropertyLists

/// The formats that an answer may have.
enum Format: UInt8 {
    case json, plist, binary

    /// The format of a level or a detail: `?format=`, else what `Accept` prefers, else JSON.
    ///
    /// - Throws: `Problem` (400) for a format there is not.
    static func ofAnswer(_ query: Query, accept: Format?) throws(Problem) -> Format {
        switch query["format"] {
        case nil: return accept == .plist ? .plist : .json
        case "json": return .json
        case "plist": return .plist
        case let other?:
            throw .badParameter(
                "format", "There is no format '\(quoted: other)' here; there are json and plist.",
                allowed: ["json", "plist"])
        }
    }

    /// The format of a document: `?format=`, else what `Accept` prefers, else an XML property list.
    ///
    /// - Throws: `Problem` (400) for a format there is not.
    static func ofDocument(_ query: Query, accept: Format?) throws(Problem) -> Format {
        switch query["format"] {
        case nil: return accept ?? .plist
        case "json": return .json
        case "plist", "xml": return .plist
        case "binary": return .binary
        case let other?:
            throw .badParameter(
                "format", "There is no format '\(quoted: other)'; there are plist, json and binary.",
                allowed: ["plist", "json", "binary"])
        }
    }

    /// The format that a request's `Accept` prefers among those there are (RFC 9110, section 12.5.1); nil where it
    /// names none of them, or likes anything else better.
    static func accepted(by request: Request) -> Format? {
        guard request.has(.accept), let accept = request.field(.accept) else { return nil }
        var best: (format: Format, quality: Double)?
        var anyQuality = 0.0
        for range in accept.split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if name == "*/*" { anyQuality = max(anyQuality, quality) }
            guard let format = Self.named[name] else { continue }
            if quality > best?.quality ?? 0 { best = (format, quality) }
        }
        return best.flatMap { $0.quality >= anyQuality ? $0.format : nil }
    }

    /// A browser names XML before `*/*`, and wants no property list: only a property list's own name means one.
    private static let named: [String: Format] = [
        "application/json": .json, "application/x-plist": .plist, "application/x-bplist": .binary,
        "application/octet-stream": .binary,
    ]
}
