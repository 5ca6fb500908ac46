import Bytes
import ContentCodings
import HTTPFields
import HTTPServer
import Levels
import WebClient

/// The web client's page and files, as responses prepared at the start.
struct WebClientAnswers: Sendable {
    /// The responses to one target, by content coding.
    private struct Prepared: Sendable {
        let entityTag: String
        let responses: [ContentCoding: Response]

        init(_ body: [UInt8], _ metadata: RepresentationMetadata, _ header: ResponseHeader) {
            let tag = EntityTag.of(ContentHash(of: body.span))
            var metadata = metadata
            metadata.entityTag = tag
            var responses: [ContentCoding: Response] = [:]
            for coding in ContentCoding.allCases {
                var coded: [UInt8] = []
                _ = coding.encode(body.span) { piece in for index in piece.indices { coded.append(piece[index]) } }
                responses[coding] = Response(
                    status: 200, headers: header.lines(of: metadata, coding, for: 0), body: coded)
            }
            entityTag = tag
            self.responses = responses
        }
    }

    /// The folder of the files of this version: a change of any file changes the target of all.
    private let folder: String
    private let page: Prepared
    private let files: [String: Prepared]

    init(_ header: ResponseHeader) {
        let all = WebClientFile.all
        var content: [UInt8] = []
        for file in all { content += Array(file.name.utf8) + [0] + file.bytes + [0] }
        let hash = ContentHash(of: content.span)
        folder = "/" + EntityTag.of(hash).filter { $0 != "\"" }
        let base = "/client" + folder
        var files: [String: Prepared] = [:]
        for file in all where file.name != WebClientFile.pageName {
            let metadata = RepresentationMetadata(
                contentType: file.contentType, entityTag: nil, cacheControl: "public, max-age=31536000, immutable",
                vary: "Accept-Encoding", added: [("X-Content-Type-Options", "nosniff")])
            files["\(folder)/\(file.name)"] = Prepared(file.bytes, metadata, header)
        }
        self.files = files
        let metadata = RepresentationMetadata(
            contentType: "text/html; charset=utf-8", entityTag: nil, cacheControl: "no-cache",
            vary: "Accept-Encoding, Accept",
            added: [
                ("Content-Security-Policy", Self.policy), ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
            ])
        page = Prepared(WebClientFile.page(base: base), metadata, header)
    }

    /// The page may run and load only the files of this service, and never makes markup of text.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
        trusted-types plist
        """

    /// Whether a request prefers the page to the index: its `Accept` names HTML, and no data format above it.
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

    /// The page, which shows the place in its own address, or one of its files, by the target after `/client`.
    func response(with file: String?, to request: Request, _ negotiation: Negotiation) throws(Problem) -> Response {
        guard let prepared = file.map({ files[$0] }) ?? page else { throw .noSuchRoute(request.target) }
        let coding = try negotiation.coding(ofBytes: .max)
        guard let response = prepared.responses[coding] else { throw .unwritten }
        let tag = EntityTag.of(prepared.entityTag, coding)
        if try Condition(request).isNotModified(tag) { return Response(status: 304, headers: response.headers) }
        return response
    }
}
