internal import CCurl
internal import Files
internal import Glibc
internal import PropertyLists

/// The messages about documents that could not be fetched.
///
/// A message contains neither times nor numbers that differ between attempts, so that equal failures have equal
/// messages.
struct FetchRefusal {
    let address: RemoteAddress
    let limits: RemoteDocument.Limits
    /// The URL to which the origin redirected the request; nil without a redirect.
    let redirect: String?

    private func error(_ reason: String) -> SourceError {
        plain(redirect.map { "it redirects to \(path: $0): \(reason)" } ?? reason)
    }

    /// The error without the mention of a redirect.
    private func plain(_ reason: String) -> SourceError { SourceError(address.shown, reason: reason) }

    // MARK: Abandoned transfers

    /// The error for a response that was cut off because of its size or its form.
    func ofCut(_ cut: Reception.Cut) -> SourceError {
        switch cut {
        case .tooLarge:
            error(
                "the document is larger than \(limits.bytes) bytes, which is the limit; split it, or raise MaxDocumentBytes"
            )
        case .headTooLarge:
            error("the response header is larger than \(Reception.mostHeadBytes >> 10) KiB, which no document needs")
        case .lineTooLong:
            error(
                "a line in the response header is longer than \(Reception.mostLineBytes >> 10) KiB, which is the limit; shorten it on the server"
            )
        case .page: error(MistakenAnswer.page.reason(at: address.shown))
        case .unknownCoding(let coding):
            error("the response has the content coding '\(quoted: coding)'; the request asks for gzip or none")
        case .undecodable: error("the response cannot be decoded: it is not gzip; check the server")
        case .localRedirect:
            error(
                "this address is on this machine or its link, to which only a server there may redirect; name the URL of the document itself"
            )
        case .notKept(let reason):
            error(
                "the document does not fit into a temporary file in \(path: TemporaryFile.folder): \(reason); free some space there, or name another folder in TMPDIR"
            )
        }
    }

    /// The error for an origin that is too slow.
    func ofPace(_ fault: TransferPace.Fault) -> SourceError {
        switch fault {
        case .silent(let time):
            error(
                "the server did not respond within \(time.components.seconds) seconds; check the server, or raise FetchTimeout"
            )
        case .slow(let time):
            error(
                "the response was slower than \(TransferPace.leastRate) bytes a second for \(time.components.seconds) seconds and was abandoned"
            )
        }
    }

    // MARK: Responses of the origin

    /// The error for a response without a document.
    func ofStatus(_ status: Int) -> SourceError {
        let advice =
            switch status {
            case 304: "the request had no condition to match; check the server"
            case 300..<400: "the response does not say where the document is; name its URL"
            case 401: "the server requires credentials; write https://USER:PASSWORD@HOST/PATH"
            case 403: "the server does not allow reading it; allow it there, or use other credentials"
            case 404, 410: "the server has no document there; name the URL of a property list"
            case 406: "the server has no property list in XML, binary or JSON"
            case 407: "the proxy requires credentials; put a user name and password into its URL"
            case 429: "the server received too many requests; raise Refresh"
            case 503: "the server cannot serve the document for now; the request will be repeated"
            case 500..<600: "the server failed; the request will be repeated"
            case 200..<300: "expected 200 and the whole document"
            default: "expected 200 and a document"
            }
        return error(
            "the server responded with status \(status)\(Self.words[status].map { " (\($0))" } ?? ""): \(advice)")
    }

    /// The error for a complete but empty response.
    var ofNothing: SourceError { error("the response is empty; it must contain a property list") }

    private static let words = [
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 204: "No Content", 206: "Partial Content",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 407: "Proxy Authentication Required", 410: "Gone", 429: "Too Many Requests",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout",
    ]

    // MARK: Network failures

    /// The error for a transfer that failed before its response was complete.
    ///
    /// - Parameters:
    ///   - code: curl's code (`libcurl-errors(3)`).
    ///   - words: curl's message, which is used if it is more specific than a message of this type.
    ///   - system: the system's error number, or 0.
    ///   - status: the status of a response that has begun; otherwise 0.
    func ofTransfer(_ code: CURLcode, words: String, system: Int32, status: Int) -> SourceError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            error("the host name cannot be resolved; correct the name, or check the network's name service")
        case CURLE_COULDNT_RESOLVE_PROXY:
            error(
                "the host name of the proxy cannot be resolved; correct it in the environment (https_proxy, http_proxy)"
            )
        case CURLE_COULDNT_CONNECT:
            error(
                "cannot connect\(system == 0 ? "" : " (\(ErrorNumber(system)))"); is the server running?"
            )
        case CURLE_OPERATION_TIMEDOUT:
            error("cannot connect within \(limits.connectSeconds) seconds; is the server running?")
        case CURLE_TOO_MANY_REDIRECTS:
            plain(
                "it redirects more than \(RemoteDocument.Limits.redirects) times; name the URL of the document itself"
            )
        case CURLE_UNSUPPORTED_PROTOCOL where (300..<400).contains(status):
            plain(
                "it redirects to a URL that is \(address.redirectSchemes == "https" ? "not https" : "neither http nor https"); name the URL of the document itself"
            )
        case CURLE_PARTIAL_FILE: error("the response ended before it was complete; the request will be repeated")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            error("the connection ended before the response was complete (\(path: words)); check the server")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            error("the server does not speak HTTP; name the URL of a web server")
        case CURLE_SSL_CONNECT_ERROR: error("cannot connect securely (\(path: words)); is it an https server?")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            error("the server's identity cannot be verified (\(path: words)); \(Self.trust)")
        default: error("it could not be fetched: \(path: words)")
        }
    }

    private static let trust =
        "give it a certificate for this name from a trusted authority, or name that authority's file in SSL_CERT_FILE"
}

/// A response that is not a document, recognized by its first bytes: an HTML page, or another drilldown resource.
enum MistakenAnswer: CaseIterable {
    case page, level, detail, changes, state, index

    /// - Parameter head: the first bytes of a refused response. The result is nil if no case matches these bytes.
    init?(head: [UInt8]) {
        let text = String(decoding: head, as: UTF8.self)
        guard let found = Self.allCases.first(where: { $0.isFound(in: text) }) else { return nil }
        self = found
    }

    private func isFound(in text: String) -> Bool {
        switch self {
        case .page:
            let begin = text.drop(while: \.isWhitespace).prefix(14).lowercased()
            return begin.hasPrefix("<html") || begin == "<!doctype html"
        case .level, .detail, .changes, .state, .index:
            return text.hasPrefix("{") && marks.allSatisfy(text.contains)
        }
    }

    /// The texts near the beginning of a response that occur together only in this kind of response.
    private var marks: [String] {
        switch self {
        case .page: []
        case .level: [#""href":"/levels/"#, #""detail":"/detail/"#, #""version":""#]
        case .detail: [#""href":"/detail/"#, #""level":"/levels/"#, #""version":""#]
        case .changes: [#""revision":""#, #""since":""#, #""changes":["#]
        case .state: [#""status":""#, #""revision":""#, #""loadedAt":""#]
        case .index: [#""levels":"/levels/""#, #""document":"/document""#]
        }
    }

    private var words: String {
        switch self {
        case .page: "an HTML page"
        case .level: "one level of a drilldown server's document"
        case .detail: "the detail of one item of a drilldown server's document"
        case .changes: "a drilldown server's list of changes"
        case .state: "the status of a drilldown server"
        case .index: "the index of a drilldown server"
        }
    }

    /// The reason for the refusal, with the URL to use instead of `url`. The response came from `url`.
    func reason(at url: String) -> String {
        let advice = self == .page ? "the URL of the property list itself" : Self.documentURL(beside: url)
        return "the response is \(words), not a property list; use \(advice)"
    }

    /// The URL to use instead. For a level or a detail, this is the URL of its item with everything below the item. For
    /// any other resource of the server, it is the URL of the whole document.
    private static func documentURL(beside url: String) -> String {
        let place = url.prefix { $0 != "?" }
        for name in ["/levels", "/detail"] {
            guard let route = place.ranges(of: name).last(where: { "/".contains(place[$0.upperBound...].prefix(1)) })
            else { continue }
            let path = place[route.upperBound...]
            return place[..<route.lowerBound] + "/document" + (path == "/" ? "" : path)
        }
        return place[..<(place.lastIndex(of: "/") ?? place.endIndex)] + "/document"
    }
}
