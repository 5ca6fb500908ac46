import HTTPServer
import Levels
import PropertyLists

/// `GET /healthz` and `GET /readyz`: never coded, so that a probe cannot request an unavailable coding.
enum StatusAnswer {
    /// - Throws: `Problem` (500) if it could not be written.
    static func health() throws(Problem) -> Rendering {
        try Rendering { (writer) throws(PropertyListError) in try writer.member("status", "alive") }
    }

    /// What is served and how fresh it is: `stale` if the latest reload was refused.
    ///
    /// - Parameter snapshot: nil for a client that may not read; it gets `status` alone.
    /// - Throws: `Problem` (500) if it could not be written.
    static func readiness(_ snapshot: Snapshot?, _ readiness: Readiness) throws(Problem) -> Rendering {
        try Rendering { (writer) throws(PropertyListError) in
            try writer.member("status", readiness.lastError == nil ? "ok" : "stale")
            guard let snapshot else { return }
            try writer.member("revision", snapshot.revision)
            try writer.member("source", readiness.source)
            try writer.member("loadedAt", JSONText.date(Double(snapshot.loadedAt) - CivilDate.unixEpochOffset))
            writer.member("items", snapshot.itemCount)
            if let error = readiness.lastError { try writer.member("lastError", error) }
        }
    }
}
