import HTTPServer
import PropertyLists

/// How long a request waits for what it asks about to change (manual, Refresh).
struct Wait: Hashable {
    static let limits = 1...300

    let seconds: Int
    /// Whether it was asked for as a preference, which the answer then says was applied (RFC 7240, section 3).
    let isPreference: Bool

    init(seconds: Int, isPreference: Bool) {
        self.seconds = seconds
        self.isPreference = isPreference
    }

    private init(preferred seconds: Int) {
        // A preference is met as far as it can be, and the answer tells how far.
        self.seconds = min(seconds, Self.limits.upperBound)
        isPreference = true
    }

    /// `Prefer: wait=` of a request; nil for one that is malformed, since preferences are ignored then.
    static func preferred(by request: Request) -> Wait? {
        guard request.has(.prefer) else { return nil }
        var isFound = false
        var wait: Wait?
        request.forEachLine(of: .prefer) { line in
            // The first of several counts (RFC 7240, section 2).
            line.forEachElement(dividedBy: UInt8(ascii: ",")) { preference in
                guard !isFound, isWait(preference) else { return !isFound }
                isFound = true
                wait = seconds(in: preference).map(Wait.init(preferred:))
                return false
            }
        }
        return wait
    }

    private static func isWait(_ preference: Span<UInt8>) -> Bool {
        let end = min(preference.index(of: UInt8(ascii: "=")), preference.index(of: UInt8(ascii: ";")))
        return preference.trimmed(0, end).isEqual(ignoringCase: "wait")
    }

    /// The value of a preference, in quotes or not; its parameters are ignored.
    private static func seconds(in preference: Span<UInt8>) -> Int? {
        let end = preference.index(of: UInt8(ascii: ";"))
        var value = preference.trimmed(min(preference.index(of: UInt8(ascii: "=")) + 1, end), end)
        if value.count > 1, value[0] == UInt8(ascii: "\""), value[value.count - 1] == UInt8(ascii: "\"") {
            value = value.extracting(1..<value.count - 1)
        }
        guard let seconds = Int(digits: value), seconds >= limits.lowerBound else { return nil }
        return seconds
    }

    /// What tells that the preference was applied.
    var headers: [(name: String, value: String)] {
        isPreference ? [("Preference-Applied", "wait=\(seconds)")] : []
    }
}
