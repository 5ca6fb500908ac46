import Bytes
import HTTPFields
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
            line.forEachPreference { preference in
                guard !isFound, preference.name.isEqual(ignoringCase: "wait") else { return !isFound }
                isFound = true
                wait = seconds(in: preference.value).map(Wait.init(preferred:))
                return false
            }
        }
        return wait
    }

    /// The seconds of a preference; nil for a value that is malformed or 0.
    private static func seconds(in value: Span<UInt8>) -> Int? {
        guard let seconds = Int(digits: value), seconds >= limits.lowerBound else { return nil }
        return seconds
    }

    /// What tells that the preference was applied.
    var headers: [(name: String, value: String)] {
        isPreference ? [("Preference-Applied", "wait=\(seconds)")] : []
    }
}
