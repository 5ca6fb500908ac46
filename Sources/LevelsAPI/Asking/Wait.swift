import Bytes
import HTTPFields
import HTTPServer
import PropertyLists

/// How long a request waits until its answer changes (manual, Refresh).
struct Wait: Hashable {
    static let limits = 1...300

    let seconds: Int
    /// Whether it comes from `Prefer`; the answer then reports it in `Preference-Applied` (RFC 7240, section 3).
    let isPreference: Bool

    init(seconds: Int, isPreference: Bool) {
        self.seconds = seconds
        self.isPreference = isPreference
    }

    private init(preferred seconds: Int) {
        // A longer wait is shortened to the limit, and the answer reports the time applied.
        self.seconds = min(seconds, Self.limits.upperBound)
        isPreference = true
    }

    /// The wait in the `Prefer` field of a request; nil if there is none, or if it is malformed and thus ignored.
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

    /// How long the request waits at most.
    var duration: Duration { .seconds(seconds) }

    /// The header lines that report the applied preference.
    var headers: [(name: String, value: String)] {
        isPreference ? [("Preference-Applied", "wait=\(seconds)")] : []
    }
}
