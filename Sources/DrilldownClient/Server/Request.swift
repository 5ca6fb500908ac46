import Foundation

/// A request to the service.
struct Request: Sendable {
    var method = "GET"
    /// Where to send the request, without a token, if not to the service.
    var url: URL?
    /// The path and the query, percent-encoded, such as `/levels/Item%204?limit=10`.
    var target: String
    /// Header fields by name, without `Authorization`.
    var header: [String: String] = [:]
    var body: Data?
    /// How many seconds the server is asked to wait for a change; 0 to answer at once.
    var wait = 0
    /// The session that sends the request; nil for the one that most requests share.
    var session: RenewedSession?
    /// Whether the request is an edit, and so carries the edit token.
    var isEdit = false

    init(_ target: String) { self.target = target }

    init(_ method: String, _ target: String) {
        self.method = method
        self.target = target
    }
}
