import Bytes
import ContentCodings
import HTTPFields
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// The form of an answer, which the header of the request selects. An answer depends on this form and on the target.
struct Negotiation {
    /// The format that `Accept` prefers.
    private(set) var format: Format?
    /// The codings that `Accept-Encoding` prefers; nil if none of them is available.
    private var choice: CodingChoice?
    /// The allowed origin that the request comes from.
    let origin: AllowedOrigins.Place
    /// The number of the document's variant that `Accept-Language` prefers; nil for a document without translations.
    private(set) var language: UInt64?

    @inline(__always)
    init(request: Request, origins: AllowedOrigins) {
        format = .accepted(by: request)
        choice = request.has(.acceptEncoding) ? Self.choice(of: request) : .identity
        origin = origins.place(of: request)
    }

    /// Chooses the language of the answer (RFC 9110, section 12.5.4).
    ///
    /// The first range that matches a language decides (RFC 4647, section 3.4). If no range matches, the fallback is
    /// served.
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

    /// The same request without a preference for a format.
    var withoutFormat: Negotiation {
        var plain = self
        plain.format = nil
        return plain
    }

    /// The same request without a preference for a format and a coding.
    var withoutForm: Negotiation {
        var plain = self
        (plain.format, plain.choice) = (nil, .identity)
        return plain
    }

    /// A different number for each form of an answer; 0 for the default form.
    @inline(__always)
    var number: UInt64 {
        let coding = choice.map { UInt64($0.coding.rawValue) << 1 | ($0.admitsIdentity ? 0 : 1) } ?? 7
        let form: UInt64 = format == .plist ? 1 : format == .csv ? 2 : 0
        // The coding, the format and the origin take the bits below the language.
        return (language ?? 0) << 16 ^ (UInt64(origin) << 5 | coding << 2 | form)
    }

    /// The key of the answer to a target in this form.
    @inline(__always)
    func key(of target: Span<UInt8>) -> UInt64 {
        // An odd factor gives each form of a target its own key.
        ContentHash.short(of: target) &+ number &* 0x9E37_79B9_7F4A_7C15
    }

    /// The coding of bodies of all lengths; nil if the coding depends on the length.
    func codingOfAnyLength() throws(Problem) -> ContentCoding? {
        guard let choice else { throw Self.noCoding }
        let coding = choice.coding(ofBytes: 0)
        return coding == choice.coding ? coding : nil
    }

    func coding(ofBytes count: Int) throws(Problem) -> ContentCoding {
        guard let choice else { throw Self.noCoding }
        return choice.coding(ofBytes: count)
    }

    private static let noCoding = Problem(
        .notAcceptable, detail: "Accept-Encoding accepts none of the available content codings: br, gzip and identity.",
        members: [("allowed", .list(["br", "gzip", "identity"]))])
}

/// The formats of answers. The raw values are part of the entity tags of documents. The value 0 is no longer used: it
/// was JSON without a final line feed.
enum Format: UInt8 {
    case plist = 1
    case binary = 2
    case json = 3
    /// Only of levels.
    case csv = 4

    /// The available format that a request's `Accept` prefers (RFC 9110, section 12.5.1). Nil if the field names no
    /// available format, or gives `*/*` a higher weight than all available formats.
    static func accepted(by request: Request) -> Format? {
        guard request.has(.accept) else { return nil }
        var best: (format: Format, quality: Int)?
        var anyQuality = 0
        request.forEachMediaRange { range in
            if range.name.isEqual(ignoringCase: "*/*") { anyQuality = max(anyQuality, range.quality) }
            guard let format = named(range.name), case let quality = range.quality, quality > best?.quality ?? 0
            else { return }
            best = (format, quality)
        }
        return best.flatMap { $0.quality >= anyQuality ? $0.format : nil }
    }

    /// The names do not include media types of XML, because browsers send those before `*/*` and would get a property
    /// list.
    private static func named(_ name: Span<UInt8>) -> Format? {
        switch name.count {
        case 8: name.isEqual(ignoringCase: "text/csv") ? .csv : nil
        case 16: name.isEqual(ignoringCase: "application/json") ? .json : nil
        case 19: name.isEqual(ignoringCase: "application/x-plist") ? .plist : nil
        case 20: name.isEqual(ignoringCase: "application/x-bplist") ? .binary : nil
        case 24: name.isEqual(ignoringCase: "application/octet-stream") ? .binary : nil
        default: nil
        }
    }
}

extension Request {
    /// Calls `visit` with each media range of `Accept` (RFC 9110, section 12.5.1). Several lines of the field form one
    /// list.
    func forEachMediaRange(_ visit: (MediaRange) -> Void) {
        forEachLine(of: .accept) { line in line.forEachMediaRange(visit) }
    }
}
