import Locking

extension StubOrigin {
    /// An origin that gives one answer after the other, and then none.
    convenience init(script: [Answer]) throws {
        let rest = Guarded(script)
        try self.init { _ in rest.withLock { $0.isEmpty ? .silence : $0.removeFirst() } }
    }

    /// The fields by which a request is conditional, in one line each.
    var conditions: [String] {
        requests.map { request in
            ["if-none-match", "if-modified-since", "prefer"].compactMap { request.fields[$0] }.joined(separator: " ")
        }
    }
}
