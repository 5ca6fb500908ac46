import HTTPServer

/// What each request passes before anything is looked up for it, cached answers too.
///
/// Checks that concern no endpoint of its own have their place here.
struct Gate {
    let header: ResponseHeader

    /// The response that refuses a request, or answers it without a resource; nil lets it pass.
    @inline(__always)
    func response(to request: Request) -> Response? {
        if request.method == .get || request.method == .head { return nil }
        return MethodAnswer.response(to: request, header)
    }
}
