internal import Files

/// The relevant parts of a response's status and header, read line by line.
struct AnswerHead: Sendable, Equatable {
    /// The status code; 0 until the first line has arrived.
    private(set) var status = 0
    private(set) var validators = Validators()
    /// Whether the origin applied the requested wait (RFC 7240, section 3).
    private(set) var isWaitApplied = false
    /// The value of `Content-Length`; nil if it is absent.
    private(set) var contentLength: Int?
    /// The content coding of the body, in lower case; nil without a coding. With a coding, `contentLength` differs from
    /// the document's size.
    private(set) var coding: String?
    /// The media type of the body, in lower case and without parameters (RFC 9110, section 8.3.1); nil if it is absent.
    private(set) var mediaType: String?
    private(set) var hasLocation = false
    /// Whether all lines have arrived.
    private(set) var isComplete = false

    /// Whether the body is an HTML page.
    var isPage: Bool { mediaType == "text/html" }

    /// Whether the response is a redirect to another URL.
    var isRedirect: Bool { (300..<400).contains(status) && status != 304 && hasLocation }

    /// The maximum length of a validator that is sent with requests, in bytes.
    private static let longestValidator = 1_000

    /// Reads one line. A status line begins a new response, and an empty line ends the header.
    mutating func take(_ line: String) {
        let line = line.trimmed
        if line.hasPrefix("HTTP/") {
            self = AnswerHead()
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        } else if isComplete {
            // Trailer fields do not describe the document.
            return
        } else if line.isEmpty {
            isComplete = true
        } else if let colon = line.firstIndex(of: ":") {
            take(name: line[..<colon].lowercased(), value: String(line[line.index(after: colon)...]).trimmed)
        }
    }

    private mutating func take(name: String, value: String) {
        switch name {
        case "etag" where Self.isEntityTag(value): validators.entityTag = value
        case "last-modified" where Self.canBeSent(value): validators.lastModified = value
        case "content-length": contentLength = Int(value)
        case "content-encoding": coding = value.lowercased() == "identity" ? nil : value.lowercased()
        case "content-type":
            let type = String(value.prefix { $0 != ";" }).trimmed.lowercased()
            mediaType = type.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !type.isEmpty ? type : nil
        case "location": hasLocation = true
        case "preference-applied":
            isWaitApplied = value.lowercased().split(separator: ",").contains { preference in
                let parts = preference.split(separator: "=", maxSplits: 1)
                return parts.first.map { String($0).trimmed } == "wait"
            }
        default: break
        }
    }

    /// Whether a value is an entity tag that can be sent: `"…"` or `W/"…"` (RFC 9110, section 8.8.3).
    private static func isEntityTag(_ value: String) -> Bool {
        let opaque = value.hasPrefix("W/") ? value.dropFirst(2) : value[...]
        return opaque.count >= 2 && opaque.first == "\"" && opaque.last == "\"" && canBeSent(value)
    }

    private static func canBeSent(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.count <= longestValidator && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

extension String {
    /// Removes white space at both ends of a header line.
    fileprivate var trimmed: String {
        func isSpace(_ character: Character) -> Bool { character.isWhitespace }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

/// An origin's validators for one state of its document (RFC 9110, section 8.8), for conditional requests.
struct Validators: Sendable, Equatable {
    /// The value of `ETag`, including the quotes; nil if it is absent or cannot be sent back.
    var entityTag: String?
    /// The value of `Last-Modified`; nil if it is absent or cannot be sent back.
    var lastModified: String?

    var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
