import Bytes
import PropertyLists

extension QueryOption {
    /// `wait=`: how long the answer may wait for a change. It wins over the preference of the same name.
    static let wait = QueryOption(
        name: "wait", grammar: "1*3DIGIT", range: Wait.limits,
        summary: "The seconds to wait for the answer to become another than the client has.", effect: .delivery,
        isInNextLink: false
    ) { value, query throws(Problem) in
        guard let seconds = Int(digits: value.utf8Span.span), Wait.limits.contains(seconds) else {
            throw .badParameter(
                "wait", "'\(quoted: value)' is no time to wait; it is a whole number of seconds from 1 to 300.")
        }
        query.wait = Wait(seconds: seconds, isPreference: false)
    }
}
