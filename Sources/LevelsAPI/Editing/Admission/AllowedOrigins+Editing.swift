import Bytes
import HTTPServer

extension AllowedOrigins {
    /// Whether a request that edits comes from no page, from a page of this server, or from one of a listed origin.
    ///
    /// `*` lets pages only read: any page could otherwise use a token that its visitor gave to another one.
    func allowsEdits(by request: Request) -> Bool {
        guard request.has(.origin) else { return true }
        return grantsEdits(at: place(of: request)) || Self.isOwn(request)
    }

    /// Whether the origin is the server itself, as the client names it in `Host` (RFC 6454, section 4).
    private static func isOwn(_ request: Request) -> Bool {
        guard let origin = request.field(.origin).flatMap(Origin.init), let host = request.field(.host) else {
            return false
        }
        // A proxy in front may have ended TLS, so either scheme may be the client's.
        return ["http", "https"].contains { Origin("\($0)://\(host)") == origin }
    }
}
