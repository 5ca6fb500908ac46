import ContentCodings
import HTTPServer

/// What a request's header chooses among the forms of an answer: with the target it is what an answer depends on.
struct Negotiation {
    /// What `Accept` prefers.
    let format: Format?
    /// What `Accept-Encoding` prefers; nil where it takes none of the codings there are.
    private let choice: CodingChoice?
    /// Which of the allowed origins asks.
    let origin: AllowedOrigins.Place

    @inline(__always)
    init(_ request: Request, _ origins: AllowedOrigins) {
        format = .accepted(by: request)
        choice = request.has(.acceptEncoding) ? Self.choice(of: request) : .identity
        origin = origins.place(of: request)
    }

    private static func choice(of request: Request) -> CodingChoice? {
        var accepted = AcceptedCodings()
        request.forEachLine(of: .acceptEncoding) { accepted.read($0) }
        return accepted.choice
    }

    /// A number of its own for all that makes another answer of the same target; 0 where nothing is chosen.
    @inline(__always)
    var number: UInt64 {
        let coding = choice.map { UInt64($0.coding.rawValue) << 1 | ($0.admitsIdentity ? 0 : 1) } ?? 7
        return UInt64(origin) << 4 | coding << 1 | (format == .plist ? 1 : 0)
    }

    /// The coding of a body of any length; nil where that depends on its length.
    ///
    /// - Throws: `Problem` (406) where the client takes no coding there is.
    func codingOfAnyLength() throws(Problem) -> ContentCoding? {
        guard let choice else { throw Self.noCoding }
        let coding = choice.coding(ofBytes: 0)
        return coding == choice.coding ? coding : nil
    }

    /// The coding of a body of so many bytes.
    ///
    /// - Throws: `Problem` (406) where the client takes no coding there is.
    func coding(ofBytes count: Int) throws(Problem) -> ContentCoding {
        guard let choice else { throw Self.noCoding }
        return choice.coding(ofBytes: count)
    }

    private static let noCoding = Problem(
        .notAcceptable, "Accept-Encoding takes none of the content codings that there are: br, gzip and identity.",
        members: [("allowed", .list(["br", "gzip", "identity"]))])
}
