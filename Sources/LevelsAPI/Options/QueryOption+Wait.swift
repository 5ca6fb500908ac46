import Bytes
import PropertyLists

extension QueryOption {
    /// `wait=`: how long the request waits for a change. It overrides the preference of the same name.
    static let wait = QueryOption(
        name: "wait", grammar: "1*3DIGIT", example: "1", range: Wait.limits,
        summary: "How many seconds to wait for an answer that differs from the one the client has.", effect: .delivery,
        isInNextLink: false
    ) { value, query throws(Problem) in
        guard let seconds = Int(digits: value.utf8Span.span), Wait.limits.contains(seconds) else {
            throw .badParameter(
                "wait", "'wait' must be a whole number of seconds from 1 to 300, not '\(quoted: value)'.")
        }
        query.wait = Wait(seconds: seconds, isPreference: false)
    }
}
