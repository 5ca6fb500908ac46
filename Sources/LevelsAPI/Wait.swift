import HTTPServer
import PropertyLists

/// How long a request waits for what it asks about to change (API.md, section 4).
struct Wait: Hashable {
    static let limits = 1...300

    let seconds: Int
    /// Whether it was asked for as a preference, which the answer then says was applied (RFC 7240, section 3).
    let isPreference: Bool

    /// `?wait=`, else `Prefer: wait=`; nil where neither is given.
    ///
    /// - Throws: `Problem` (400) for a value of the parameter that is none.
    init?(_ query: Query, _ request: Request) throws(Problem) {
        if let text = query["wait"] {
            guard let seconds = Int(text), Self.limits.contains(seconds), text.allSatisfy(\.isNumber) else {
                throw .badParameter(
                    "wait", "'\(quoted: text)' is no time to wait; it is a whole number of seconds from 1 to 300.")
            }
            self.seconds = seconds
            isPreference = false
        } else {
            guard let preferred = Self.preferred(by: request) else { return nil }
            self = preferred
        }
    }

    private init(preferred seconds: Int) {
        // A preference is met as far as it can be, and the answer tells how far.
        self.seconds = min(seconds, Self.limits.upperBound)
        isPreference = true
    }

    /// `Prefer: wait=` of a request; nil for one that is malformed, since preferences are ignored then.
    static func preferred(by request: Request) -> Wait? {
        guard request.has(.prefer), let list = request.field(.prefer) else { return nil }
        for preference in preferences(list) {
            let parts = preference.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard parts.first.map({ $0.filter { $0 != " " && $0 != "\t" }.lowercased() }) == "wait" else { continue }
            let value = parts.count > 1 ? parts[1].filter { $0 != " " && $0 != "\t" && $0 != "\"" } : ""
            // The first of several counts (RFC 7240, section 2).
            guard value.allSatisfy(\.isASCII), let seconds = Int(value), seconds >= limits.lowerBound else {
                return nil
            }
            return Wait(preferred: seconds)
        }
        return nil
    }

    /// The preferences of a list; a comma within quotes divides nothing (RFC 9110, section 5.6.4).
    private static func preferences(_ list: String) -> [Substring] {
        var isQuoted = false
        var isEscaped = false
        return list.split { character in
            defer { isEscaped = isQuoted && !isEscaped && character == "\\" }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }

    /// What tells that the preference was applied.
    var headers: [(name: String, value: String)] {
        isPreference ? [("Preference-Applied", "wait=\(seconds)")] : []
    }
}
