import Bytes
import HTTPServer
import Levels
import PropertyLists

/// The origins whose pages a browser lets read the answers (Fetch standard, section 3.2, "CORS protocol").
public struct AllowedOrigins: Sendable {
    /// A text that is neither an origin nor `*`.
    public struct Malformed: Error, Equatable, CustomStringConvertible {
        public let text: String

        public var description: String {
            """
            '\(quoted: text)' is no origin: write scheme://host or scheme://host:port without a path, several divided by \
            commas, or * alone for all
            """
        }
    }

    /// Which of them a request comes from: 0 is none, and stands in no header line.
    typealias Place = Int

    private let isAny: Bool
    private let origins: [Origin]
    /// The texts once more, for comparing them with a field's bytes.
    private let bytes: [[UInt8]]

    private init(isAny: Bool, _ origins: [Origin]) {
        self.isAny = isAny
        self.origins = origins
        bytes = origins.map { Array($0.text.utf8) }
    }

    /// None but the service's own, for which a browser asks for no permission.
    public static let none = AllowedOrigins(isAny: false, [])
    public static let any = AllowedOrigins(isAny: true, [])

    /// Reads a list divided by commas, or `*`; nothing at all allows none.
    ///
    /// - Throws: `Malformed` for the first text in it that is no origin.
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
        self.init(isAny: false, origins)
    }

    /// Where the origin of a request stands among those allowed; every request's is the same where all are.
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
            for (index, origin) in bytes.enumerated() where origin.span.isEqual(to: line) { place = index + 1 }
        }
        // A browser sends one.
        return lines == 1 ? place : 0
    }

    /// The place for an answer to what could not be read as a request.
    var placeWithoutRequest: Place { isAny ? 1 : 0 }

    /// The header lines of an answer to a request of an origin: which fields it varies by, and who may read it.
    ///
    /// Where the origin is told back, every answer varies by it, those without an origin too: a cache would else give
    /// one page's answer to another, which could then not read it (Fetch standard, "CORS protocol and HTTP caches").
    func headers(at place: Place, vary: String? = nil) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        let varied = origins.isEmpty ? vary : (vary.map { $0 + ", Origin" } ?? "Origin")
        if let varied { headers.append(("Vary", varied)) }
        if let origin = text(at: place) {
            headers.append(("Access-Control-Allow-Origin", origin))
            headers.append(("Access-Control-Expose-Headers", Self.exposed))
        }
        return headers
    }

    /// The header lines of an answer to a browser that asks before it sends a request; nil where it may not.
    func preflightHeaders(at place: Place, methods: String) -> [(name: String, value: String)]? {
        guard let origin = text(at: place) else { return nil }
        return (origins.isEmpty ? [] : [("Vary", "Origin")]) + [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Methods", methods),
            ("Access-Control-Allow-Headers", Self.taken), ("Access-Control-Max-Age", Self.age),
        ]
    }

    private func text(at place: Place) -> String? {
        guard place > 0 else { return nil }
        return isAny ? "*" : origins[place - 1].text
    }

    /// What answers have beyond the fields that any page may read.
    private static let exposed = "ETag, Link, Preference-Applied, Location, Retry-After"
    /// What requests may have beyond the fields that any page may send.
    private static let taken =
        "If-None-Match, Prefer, Last-Event-ID, Accept, Content-Type, Authorization, If-Match, Cache-Control, Pragma"
    /// Two hours, in seconds: Chromium remembers no permission longer.
    private static let age = "7200"
}
