import ContentCodings
import HTTPFields
import HTTPServer
import Levels

/// The form of an answer that a request's header selects; the answer depends on it and on the target.
struct Negotiation {
    /// The format that `Accept` prefers.
    let format: Format?
    /// The codings that `Accept-Encoding` prefers; nil if it accepts no available coding.
    private let choice: CodingChoice?
    /// The allowed origin that the request comes from.
    let origin: AllowedOrigins.Place
    /// The number of the document's variant that `Accept-Language` prefers; nil if the document has no translations.
    private(set) var language: UInt64?

    @inline(__always)
    init(_ request: Request, _ origins: AllowedOrigins) {
        format = .accepted(by: request)
        choice = request.has(.acceptEncoding) ? Self.choice(of: request) : .identity
        origin = origins.place(of: request)
    }

    /// Chooses the language of the answer (RFC 9110, section 12.5.4).
    ///
    /// The first range that a language matches decides (RFC 4647, section 3.4); without one, the fallback is served
    /// rather than a refusal.
    mutating func choose(among translations: Translations, for request: Request) {
        var name = translations.fallback ?? ""
        if request.has(.acceptLanguage) {
            var accepted = AcceptedLanguages()
            request.forEachLine(of: .acceptLanguage) { accepted.read($0) }
            let tags = translations.variants.compactMap(\.language)
            if let tag = accepted.choice(among: tags) {
                name = translations.variants.first { $0.language == tag }?.name ?? name
            }
        }
        language = Translations.number(of: name)
    }

    private static func choice(of request: Request) -> CodingChoice? {
        var accepted = AcceptedCodings()
        request.forEachLine(of: .acceptEncoding) { accepted.read($0) }
        return accepted.choice
    }

    /// A different number for each form of the answer to one target; 0 for the default form.
    @inline(__always)
    var number: UInt64 {
        let coding = choice.map { UInt64($0.coding.rawValue) << 1 | ($0.admitsIdentity ? 0 : 1) } ?? 7
        // The lowest bits are those of the other choices.
        return (language ?? 0) << 16 ^ (UInt64(origin) << 4 | coding << 1 | (format == .plist ? 1 : 0))
    }

    /// The coding of a body of any length; nil if it depends on the length.
    ///
    /// - Throws: `Problem` (406) if the client accepts no available coding.
    func codingOfAnyLength() throws(Problem) -> ContentCoding? {
        guard let choice else { throw Self.noCoding }
        let coding = choice.coding(ofBytes: 0)
        return coding == choice.coding ? coding : nil
    }

    /// The coding of a body with this number of bytes.
    ///
    /// - Throws: `Problem` (406) if the client accepts no available coding.
    func coding(ofBytes count: Int) throws(Problem) -> ContentCoding {
        guard let choice else { throw Self.noCoding }
        return choice.coding(ofBytes: count)
    }

    private static let noCoding = Problem(
        .notAcceptable, "Accept-Encoding accepts none of the available content codings: br, gzip and identity.",
        members: [("allowed", .list(["br", "gzip", "identity"]))])
}
