import HTTPFields
import HTTPServer

extension Request {
    /// Passes each media range of `Accept` (RFC 9110, section 12.5.1); several lines are one list.
    func forEachMediaRange(_ visit: (MediaRange) -> Void) {
        forEachLine(of: .accept) { line in line.forEachMediaRange(visit) }
    }
}
