import HTTPServer

/// Checks each request before anything is looked up for it, even in the cache.
///
/// A check that does not belong to one endpoint is made here.
struct Gate {
    let header: ResponseHeader
    let admission: EditAdmission
    /// Nil if anyone may read.
    let reading: ReadAdmission?

    /// The response that refuses a request, or answers it without a resource; nil lets it pass.
    @inline(__always)
    func response(to request: Request) -> Response? {
        if let reading, let problem = reading.refusal(of: request) { return header.response(to: problem, request) }
        if request.method == .get || request.method == .head { return nil }
        return MethodAnswer.response(to: request, header, admission)
    }

    /// Whether an endpoint that is open to anyone may show a client what the document contains.
    func allowsReading(_ request: Request) -> Bool { reading?.admits(request) ?? true }
}
