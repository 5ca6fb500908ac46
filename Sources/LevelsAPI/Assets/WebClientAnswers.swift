import Bytes
import ContentCodings
import HTTPFields
import HTTPServer
import Levels
import WebClient

/// The web client's page and files, as responses that are prepared when the service starts.
struct WebClientAnswers: Sendable {
    /// The responses to one target, by content coding.
    private struct Prepared: Sendable {
        let entityTag: String
        let responses: [ContentCoding: Response]
        private let metadata: RepresentationMetadata
        private let header: ResponseHeader

        init(body: [UInt8], metadata: RepresentationMetadata, header: ResponseHeader) {
            let tag = EntityTag.of(ContentHash(of: body.span))
            var metadata = metadata
            metadata.entityTag = tag
            var responses: [ContentCoding: Response] = [:]
            for coding in ContentCoding.allCases {
                var coded: [UInt8] = []
                _ = coding.encode(body.span) { piece in for index in piece.indices { coded.append(piece[index]) } }
                responses[coding] = Response(
                    status: 200, headers: header.lines(of: metadata, coding: coding, for: 0), body: coded)
            }
            entityTag = tag
            self.responses = responses
            self.metadata = metadata
            self.header = header
        }

        /// The response in a coding. If the origin is allowed, the header lets pages of the origin read the response.
        func response(_ coding: ContentCoding, for origin: AllowedOrigins.Place) -> Response? {
            let response = responses[coding]
            guard origin != 0, let body = response?.sharedBody else { return response }
            return Response(status: 200, headers: header.lines(of: metadata, coding: coding, for: origin), body: body)
        }
    }

    /// The folder in the targets of the files. Its name is the hash of all files, so a change of any file changes all
    /// targets.
    private let folder: String
    private let page: Prepared
    private let files: [String: Prepared]
    /// The prefix of all paths behind a proxy.
    private let basePath: String
    /// Whether levels can be read without a token.
    private let isOpen: Bool

    init(header: ResponseHeader, basePath: String, isOpen: Bool) {
        self.basePath = basePath
        self.isOpen = isOpen
        let all = WebClientFile.all
        var content: [UInt8] = []
        for file in all { content += Array(file.name.utf8) + [0] + file.bytes + [0] }
        let hash = ContentHash(of: content.span)
        folder = "/" + EntityTag.of(hash).filter { $0 != "\"" }
        let base = "/client" + folder
        var files: [String: Prepared] = [:]
        for file in all where file.name != WebClientFile.pageName {
            func prepared(cacheControl: String) -> Prepared {
                let metadata = RepresentationMetadata(
                    contentType: file.contentType, entityTag: nil, cacheControl: cacheControl,
                    vary: "Accept-Encoding", added: [("X-Content-Type-Options", "nosniff")])
                return Prepared(body: file.bytes, metadata: metadata, header: header)
            }
            files["\(folder)/\(file.name)"] = prepared(cacheControl: "public, max-age=31536000, immutable")
            if file.name == WebClientFile.libraryName {
                files["/\(file.name)"] = prepared(cacheControl: "no-cache")
            }
        }
        self.files = files
        let metadata = RepresentationMetadata(
            contentType: "text/html; charset=utf-8", entityTag: nil, cacheControl: "no-cache",
            vary: "Accept-Encoding, Accept",
            added: [
                ("Content-Security-Policy", Self.policy), ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
            ])
        page = Prepared(body: WebClientFile.page(basePath: basePath, folder: base), metadata: metadata, header: header)
    }

    /// The page may run and load only the files of this service, and cannot turn text into markup.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
        trusted-types plist
        """

    /// Whether a request prefers the page to the index: its `Accept` gives HTML a higher weight than JSON.
    static func isPreferred(by request: Request) -> Bool {
        guard request.has(.accept) else { return false }
        var html = 0
        var data = 0
        request.forEachMediaRange { range in
            if range.name.isEqual(ignoringCase: "text/html") {
                html = max(html, range.quality)
            } else if range.name.isEqual(ignoringCase: "application/json") {
                data = max(data, range.quality)
            }
        }
        return html > data
    }

    /// The response with the page or with one of the page's files. The page shows the item that the address of the page
    /// names.
    ///
    /// - Parameter file: the target after `/client`; nil for the page.
    func response(
        with file: String?, to request: Request, query: Query, negotiation: Negotiation
    ) throws(Problem) -> Response {
        guard let prepared = file.map({ files[$0] }) ?? page else { throw .noSuchRoute(request.target) }
        let coding = try negotiation.coding(ofBytes: .max)
        // Only the library is of use to pages of other origins.
        let origin = file == "/" + WebClientFile.libraryName ? negotiation.origin : 0
        guard let response = prepared.response(coding, for: origin) else { throw .unwritten }
        let link = file == nil ? preload(for: request, query: query) : []
        let headers = response.headers + link
        let tag = EntityTag.of(prepared.entityTag, coding: coding)
        if try Condition(request).isNotModified(tag) { return Response(status: 304, headers: headers) }
        guard !link.isEmpty, let body = response.sharedBody else { return response }
        return Response(status: 200, headers: headers, body: body)
    }

    /// The link with which a browser requests the level before it has loaded the modules. The target of the link is the
    /// first target that the modules request (`Level.open` in level.js).
    ///
    /// Empty if reading needs a token, if the header cannot contain the link, or if the request contains a query: with
    /// a query, the modules may begin with another target.
    private func preload(for request: Request, query: Query) -> HeaderLines {
        guard isOpen, query.parameters.isEmpty else { return [] }
        var path = String(utf8: request.target.extracting(0..<request.target.index(of: UInt8(ascii: "?"))))
        if path.hasPrefix("/browse") { path.removeFirst("/browse".count) }
        let link = "\(basePath)/levels\(path.isEmpty ? "/" : path)?limit=100&start=0&sections=100"
        guard link.utf8.count <= ResponseHeader.longestLink, link.utf8.allSatisfy(Self.isPlain) else { return [] }
        return [("Link", "<\(link)>; rel=preload; as=fetch; crossorigin")]
    }

    /// Whether a link in the header may contain a byte unchanged.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && ![UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\"")].contains(byte)
    }
}
