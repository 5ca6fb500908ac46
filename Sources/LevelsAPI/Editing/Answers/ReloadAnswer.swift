import ContentCodings
import HTTPServer
import TreeStore

/// The answer to `POST /reload`.
enum ReloadAnswer {
    static func response(to outcome: ReloadOutcome, _ pending: PendingEdit, _ selection: Selection) -> Response {
        do throws(Problem) {
            let answer =
                switch outcome {
                case .published(let snapshot): try StepsAnswer.rendered("published", snapshot)
                case .unchanged(let snapshot): try StepsAnswer.rendered("unchanged", snapshot)
                case .refused(let error) where outcome.isOutOfMemory:
                    throw Problem(.outOfMemory, "\(error) The version before is still served.")
                case .refused(let error):
                    throw Problem(.documentRefused, "\(error) The version before is still served.")
                case .stopped: throw Problem.stopping
                }
            return try selection.response(of: answer, .identity, pending.negotiation)
        } catch {
            return pending.response(to: error)
        }
    }
}

extension Problem {
    /// 503 for a load that takes longer than a client waits.
    static let unfinishedReload = Problem(
        .unfinishedEdit, "The source has not been loaded yet; /readyz tells how it ends.")
}
