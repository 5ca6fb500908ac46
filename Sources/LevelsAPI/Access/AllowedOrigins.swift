import Bytes
import HTTPServer
import Levels
import PropertyLists

/// The origins whose pages may read the answers in a browser (Fetch standard, section 3.2, "CORS protocol").
public struct AllowedOrigins: Sendable {
    /// A text that is neither an origin nor `*`.
    public struct Malformed: Error, Equatable, CustomStringConvertible {
        /// The malformed text.
        public let text: String

        /// The fault and its correction, without a final full stop.
        public var description: String {
            """
            '\(quoted: text)' is not an origin: write scheme://host or scheme://host:port without a path, several separated by \
            commas, or * alone for all
            """
        }
    }

    /// The number of the allowed origin from which a request comes, counted from 1; 0 for every other origin.
    typealias Place = Int

    private let isAny: Bool
    private let origins: [Origin]

    private init(isAny: Bool, origins: [Origin]) {
        self.isAny = isAny
        self.origins = origins
    }

    /// Allows no origin except the service's own, which needs no permission.
    public static let none = AllowedOrigins(isAny: false, origins: [])
    /// Allows all origins.
    public static let any = AllowedOrigins(isAny: true, origins: [])

    /// Reads a list separated by commas, or `*`; an empty list allows no origin.
    public init(_ list: String) throws(Malformed) {
        let texts = list.split { $0 == "," || $0 == " " }.map(String.init)
        if texts == ["*"] {
            self = .any
            return
        }
        var origins: [Origin] = []
        for text in texts {
            guard let origin = Origin(text) else { throw Malformed(text: text) }
            if !origins.contains(origin) { origins.append(origin) }
        }
        self.init(isAny: false, origins: origins)
    }

    /// The place of a request's origin. If all origins are allowed, all requests have the same place.
    @inline(__always)
    func place(of request: Request) -> Place {
        if origins.isEmpty { return isAny ? 1 : 0 }
        return request.has(.origin) ? listedPlace(of: request) : 0
    }

    private func listedPlace(of request: Request) -> Place {
        var place = 0
        var lines = 0
        request.forEachLine(of: .origin) { line in
            lines += 1
            for (index, origin) in origins.enumerated() where line.isEqual(to: origin.text.utf8Span.span) {
                place = index + 1
            }
        }
        // A browser sends exactly one line.
        return lines == 1 ? place : 0
    }

    /// The place for an answer to an unreadable request.
    var placeWithoutRequest: Place { isAny ? 1 : 0 }

    /// The header lines for CORS, and `Vary`.
    ///
    /// If only listed origins are allowed, answers name the origin of their request. Every answer then varies by the
    /// origin, even the answer to a request without an origin. Otherwise a cache could give one page the answer that
    /// names another page's origin, and the browser would not let the page read it (Fetch standard, "CORS protocol and
    /// HTTP caches").
    func headers(at place: Place, vary: String? = nil) -> HeaderLines {
        var headers: HeaderLines = []
        let varied = origins.isEmpty ? vary : (vary.map { $0 + ", Origin" } ?? "Origin")
        if let varied { headers.append(("Vary", varied)) }
        if let origin = text(at: place) {
            headers.append(("Access-Control-Allow-Origin", origin))
            headers.append(("Access-Control-Expose-Headers", Self.exposed))
        }
        return headers
    }

    /// The header lines for a preflight request; nil if the origin is not allowed.
    func preflightHeaders(at place: Place, methods: String) -> HeaderLines? {
        guard let origin = text(at: place) else { return nil }
        return (origins.isEmpty ? [] : [("Vary", "Origin")]) + [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Methods", methods),
            ("Access-Control-Allow-Headers", Self.taken), ("Access-Control-Max-Age", Self.age),
        ]
    }

    /// Whether pages of the origin at this place may edit. Pages of listed origins may; if all origins are allowed,
    /// none may.
    func grantsEdits(at place: Place) -> Bool { place > 0 && !isAny }

    private func text(at place: Place) -> String? {
        guard place > 0 else { return nil }
        return isAny ? "*" : origins[place - 1].text
    }

    /// The response fields that pages of allowed origins may read, in addition to the fields that any page may read.
    private static let exposed =
        "ETag, Link, Preference-Applied, Location, Retry-After, Content-Range, Accept-Ranges, Drilldown-Revision"
    /// The request fields that pages of allowed origins may send, in addition to the fields that any page may send.
    private static let taken =
        "If-None-Match, Prefer, Last-Event-ID, Accept, Content-Type, Authorization, If-Match, Cache-Control, Pragma, "
        + "Drilldown-Revision"
    /// The methods that change nothing. If `*` allows all origins, pages may use only these methods.
    static let readingMethods = ["GET", "HEAD", "OPTIONS"]
    /// The number of seconds for which a browser may remember a permission: the maximum that Chromium accepts.
    private static let age = "7200"
}

extension AllowedOrigins {
    /// Whether a request may edit: it comes from a client other than a web page, from a page of this server, or from a
    /// page of a listed origin.
    ///
    /// With `*`, pages may only read. Otherwise any page could edit with a token that its visitor gave to another page.
    func allowsEdits(by request: Request) -> Bool {
        guard request.has(.origin) else { return true }
        return grantsEdits(at: place(of: request)) || Self.isOwn(request)
    }

    /// Whether the request's origin is this server, under the name in the request's `Host` field (RFC 6454, section 4).
    private static func isOwn(_ request: Request) -> Bool {
        guard let origin = request.field(.origin).flatMap(Origin.init), let host = request.field(.host) else {
            return false
        }
        // A proxy may have ended TLS, so the client may have used either scheme.
        return ["http", "https"].contains { Origin("\($0)://\(host)") == origin }
    }
}

/// The origin of a web page as its browser sends it: `https://app.example.org:8443` (RFC 6454, section 6.2).
public struct Origin: Equatable, Sendable {
    /// The origin in the form that browsers send: in lower case, without the scheme's default port.
    public let text: String

    /// Reads `scheme://host` or `scheme://host:port`.
    public init?(_ text: String) {
        let text = text.lowercased()
        guard let slashes = text.firstRange(of: "://"), Self.isScheme(text[..<slashes.lowerBound]) else { return nil }
        let scheme = text[..<slashes.lowerBound]
        var host = text[slashes.upperBound...]
        var suffix = ""
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            guard let port = Self.port(host[host.index(after: colon)...]) else { return nil }
            host = host[..<colon]
            if Self.standardPorts[String(scheme)] != port { suffix = ":\(port)" }
        }
        guard Self.isHost(host) else { return nil }
        self.text = "\(scheme)://\(host)\(suffix)"
    }

    private static let standardPorts = ["http": 80, "https": 443]

    private static func port(_ digits: Substring) -> Int? {
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = Int(digits), (1...65_535).contains(port)
        else { return nil }
        return port
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    }

    /// Whether a text is a name, an IPv4 address, or an IPv6 address in brackets. A name must be ASCII, because
    /// browsers send other scripts as punycode.
    private static func isHost(_ text: Substring) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let address = text.dropFirst().dropLast().utf8
            return address.contains(UInt8(ascii: ":"))
                && address.allSatisfy { isDigit($0) || (97...102).contains($0) || $0 == 0x3A || $0 == 0x2E }
        }
        return !text.isEmpty
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
