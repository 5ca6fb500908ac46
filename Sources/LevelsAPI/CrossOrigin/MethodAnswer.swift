import Bytes
import HTTPServer

/// Answers to OPTIONS, and to methods that an endpoint does not allow.
enum MethodAnswer {
    /// 204 with `Allow` for OPTIONS, 405 with `Allow` for a method that is not allowed, 404 if nothing is served there; nil
    /// for a method that the endpoint allows.
    static func response(to request: Request, _ header: ResponseHeader, _ admission: EditAdmission) -> Response? {
        let match = Endpoint.match(request.target)
        if request.method != .options, match?.operation(request.method) != nil { return nil }
        let methods = match?.methods ?? Endpoint.methods
        let allow = methods.joined(separator: ", ")
        let isServed = match != nil || String(utf8: request.target) == "*"
        // For any target: a browser that is refused here could not read the 404 that says what is wrong.
        if request.method == .options, isServed || header.permits(request) {
            let granted = admission.isOn ? methods : methods.filter(Endpoint.readingMethods.contains)
            return header.options(request, allow: allow, granting: granted)
        }
        return header.response(to: isServed ? .methodNotAllowed(methods) : .noSuchRoute(request.target), request)
    }
}
