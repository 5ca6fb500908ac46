import HTTPServer

/// The request header fields that clients choose to send, for the description.
///
/// OpenAPI describes `Accept`, `Content-Type` and `Authorization` elsewhere: by media types and security.
enum RequestField: String, CaseIterable {
    case acceptEncoding = "Accept-Encoding"
    case acceptLanguage = "Accept-Language"
    case ifMatch = "If-Match"
    case ifNoneMatch = "If-None-Match"
    case ifModifiedSince = "If-Modified-Since"
    case ifUnmodifiedSince = "If-Unmodified-Since"
    case ifRange = "If-Range"
    case range = "Range"
    case prefer = "Prefer"
    case lastEventID = "Last-Event-ID"

    var summary: String {
        switch self {
        case .acceptEncoding: "The content codings that the client reads: `br`, `gzip`, `identity`."
        case .acceptLanguage: "The languages that the client prefers, for a document with translations."
        case .ifMatch:
            "Entity tags; the request is refused with 412 unless the current one, in any coding, is among them. An edit of an item also takes its `fieldsVersion` in quotes, which only its own fields change."
        case .ifNoneMatch:
            "Entity tags that the client has. If the current one is among them, a GET is answered with 304; an edit, with 412."
        case .ifModifiedSince: "A date; a file that has not changed since is answered with 304."
        case .ifUnmodifiedSince: "A date; a file that has changed since is answered with 412."
        case .ifRange: "An entity tag or a date; if the file is another now, `Range` is ignored."
        case .range: "The bytes of the file to send, such as `bytes=0-99`."
        case .prefer:
            "`wait=30` waits up to 30 seconds, and at most 300, until the answer differs from the one in `If-None-Match`. Malformed preferences are ignored."
        case .lastEventID: "The revision of the latest event, with which a stream goes on."
        }
    }

    /// The parameters of the components.
    static var all: [JSONNode.Member] { allCases.map { ($0.rawValue, $0.parameter) } }

    /// A malformed field is treated as the RFC says, which may be to ignore it, so every text is allowed.
    var parameter: JSONNode {
        ["name": .string(rawValue), "in": "header", "description": .string(summary), "schema": ["type": "string"]]
    }
}
