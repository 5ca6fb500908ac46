internal import CCurl
internal import Glibc
internal import PropertyLists

/// The sentences for documents that could not be fetched. None of them holds a time or a number that differs from one
/// attempt to the next, so that equal reasons read the same.
struct FetchRefusal {
    let address: RemoteAddress
    let limits: RemoteDocument.Limits
    /// Where the origin sent the request; nil where it answered itself.
    let redirect: String?

    private func error(_ reason: String) -> SourceError {
        plain(redirect.map { "it leads on to \(path: $0), and there: \(reason)" } ?? reason)
    }

    /// Without a word on where the request went.
    private func plain(_ reason: String) -> SourceError { SourceError(address.shown, reason) }

    // MARK: What was given up here

    /// An answer that was cut because of what it is.
    func ofCut(_ cut: Reception.Cut) -> SourceError {
        switch cut {
        case .tooLarge:
            error(
                "the document has more than \(limits.bytes) bytes, which is the limit; split it, or raise MaxDocumentBytes"
            )
        case .headTooLarge:
            error("the header of the answer has more than \(Reception.mostHeadBytes >> 10) KiB; it is no document's")
        case .lineTooLong:
            error(
                "a line in the header of the answer is longer than \(Reception.mostLineBytes >> 10) KiB, which is the limit; shorten it on its server"
            )
        case .notKept(let failure):
            error(
                "the document finds no room in a temporary file in \(path: failure.path): \(SystemReason.text(failure.code)); make room there, or name another folder in TMPDIR"
            )
        }
    }

    /// An origin that took too long.
    func ofPace(_ fault: TransferPace.Fault) -> SourceError {
        switch fault {
        case .silent(let time):
            error("no answer came within \(time.components.seconds) seconds; see to its server, or raise FetchTimeout")
        case .slow(let time):
            error(
                "for \(time.components.seconds) seconds the answer came slower than \(TransferPace.leastRate) bytes a second, and was given up"
            )
        }
    }

    // MARK: What the origin answered

    /// An answer without a document.
    func ofStatus(_ status: Int) -> SourceError {
        let advice =
            switch status {
            case 304: "although nothing was there for the document to be equal to; see to its server"
            case 300..<400: "without saying where the document is; name the address where it is"
            case 401: "which asks who is there; write https://USER:PASSWORD@HOST/PATH"
            case 403: "which forbids reading it; let its server allow it, or give other credentials"
            case 404, 410: "there is no document; name the address of a property list"
            case 406: "it has no property list in XML, binary or JSON"
            case 407: "the proxy asks who is there; put user and password into its address"
            case 429: "it was asked too often; raise Refresh"
            case 503: "it cannot serve the document for now; it will be asked again"
            case 500..<600: "the fault is the server's; it will be asked again"
            case 200..<300: "where 200 and the whole document would be right"
            default: "where 200 and a document would be right"
            }
        return error("it answers with status \(status)\(Self.words[status].map { " (\($0))" } ?? ""): \(advice)")
    }

    /// An answer that is whole and holds nothing.
    var ofNothing: SourceError { error("the answer is empty; it must hold a property list") }

    private static let words = [
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 204: "No Content", 206: "Partial Content",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 407: "Proxy Authentication Required", 410: "Gone", 429: "Too Many Requests",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout",
    ]

    // MARK: What the network did

    /// A transfer that failed before its answer was whole.
    ///
    /// - Parameters:
    ///   - code: what curl says (`libcurl-errors(3)`).
    ///   - words: the same in words, used where they say more than we know.
    ///   - system: the error number behind it; 0 where there is none.
    ///   - status: of the answer, so far as it came; 0 for none.
    func ofTransfer(_ code: CURLcode, words: String, system: Int32, status: Int) -> SourceError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            error("the name of its host leads to no address; correct the name, or see to the network's name service")
        case CURLE_COULDNT_RESOLVE_PROXY:
            error("the name of the proxy leads to no address; correct it in the environment (https_proxy, http_proxy)")
        case CURLE_COULDNT_CONNECT:
            error(
                "no connection comes about\(system == 0 ? "" : " (\(SystemReason.text(system)))"); is its server running?"
            )
        case CURLE_OPERATION_TIMEDOUT:
            error("no connection came about within \(limits.connectSeconds) seconds; is its server running?")
        case CURLE_TOO_MANY_REDIRECTS:
            plain(
                "it leads on more than \(RemoteDocument.Limits.redirects) times; name the address where the document is"
            )
        case CURLE_UNSUPPORTED_PROTOCOL where (300..<400).contains(status):
            plain("it leads on to what is neither http nor https; name the address where the document is")
        case CURLE_PARTIAL_FILE: error("the answer was cut short before all of it had come; it will be asked for again")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            error("the connection ended before the answer was whole (\(path: words)); see to its server")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            error("what answers does not speak HTTP; name the address of a web server")
        case CURLE_SSL_CONNECT_ERROR: error("no secure connection comes about (\(path: words)); is it an https server?")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            error("its identity cannot be verified (\(path: words)); \(Self.trust)")
        case CURLE_BAD_CONTENT_ENCODING: error("the answer cannot be unpacked (\(path: words)); see to its server")
        default: error("it could not be fetched: \(path: words)")
        }
    }

    private static let trust =
        "give its server a certificate for this name from an authority known here, or name that authority's file in SSL_CERT_FILE"
}
