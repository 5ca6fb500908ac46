/// The words of a status, for answers that tell nothing else.
enum StatusWords {
    static func words(_ status: Int) -> String {
        switch status {
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not found"
        case 429: "Too many requests"
        case 500: "Internal server error"
        case 502: "Bad gateway"
        case 503: "Service unavailable"
        case 504: "Gateway timeout"
        default: status < 500 ? "Refused" : "Server error"
        }
    }
}
