import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// `GET /healthz` and `GET /readyz`.
enum StatusAnswer {
    static func health() -> Response {
        response(status: 200) { (writer) throws(PropertyListError) in try writer.member("status", "alive") }
    }

    /// What is served and how fresh it is: `stale` while the latest reload was refused.
    static func readiness(_ snapshot: Snapshot, _ readiness: Readiness) -> Response {
        response(status: 200) { (writer) throws(PropertyListError) in
            try writer.member("status", readiness.lastError == nil ? "ok" : "stale")
            try writer.member("revision", snapshot.revision)
            try writer.member("source", readiness.source)
            try writer.member("loadedAt", JSONText.date(Double(snapshot.loadedAt) - CivilDate.unixEpochOffset))
            writer.member("items", snapshot.itemCount)
            if let error = readiness.lastError { try writer.member("lastError", error) }
        }
    }

    static func response(
        status: Int, _ write: (inout JSONPropertyListWriter) throws(PropertyListError) -> Void
    ) -> Response {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        do {
            try write(&writer)
            writer.endObject()
            let headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
            return unsafe Response(status: status, headers: headers, takingOver: try writer.body().release())
        } catch {
            return Problem(.internalFault, "The status could not be written.").response(instance: "")
        }
    }
}
