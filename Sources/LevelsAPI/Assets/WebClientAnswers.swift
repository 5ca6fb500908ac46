import Bytes
import ContentCodings
import HTTPFields
import HTTPServer
import Levels

/// The web client's page and files.
struct WebClientAnswers: Sendable {
    /// The answer to one target, before content coding.
    private struct File: Sendable {
        let body: Response.Body
        var metadata: RepresentationMetadata

        init(_ bytes: [UInt8], metadata: RepresentationMetadata) {
            var buffer = ByteBuffer(capacity: bytes.count)
            buffer.append(bytes.span)
            body = Response.Body(buffer)
            self.metadata = metadata
            self.metadata.entityTag = EntityTag.of(ContentHash(of: bytes.span))
        }
    }

    /// The folder in the targets of the files. Its name is the hash of all files, so a change of any file changes all
    /// targets.
    private let folder: String
    private let page: File
    private let files: [String: File]
    private let forms = KeptForms()
    private let header: ResponseHeader
    /// The prefix of all paths behind a proxy.
    private let basePath: String
    /// Whether levels can be read without a token.
    private let isOpen: Bool

    init(header: ResponseHeader, basePath: String, isOpen: Bool) {
        self.header = header
        self.basePath = basePath
        self.isOpen = isOpen
        let all = WebClientFile.all
        var content: [UInt8] = []
        for file in all { content += Array(file.name.utf8) + [0] + file.bytes + [0] }
        let hash = ContentHash(of: content.span)
        folder = "/" + EntityTag.of(hash).filter { $0 != "\"" }
        let base = "/client" + folder
        var files: [String: File] = [:]
        for file in all where file.name != WebClientFile.pageName {
            func kept(cacheControl: String) -> File {
                let metadata = RepresentationMetadata(
                    contentType: file.contentType, entityTag: nil, cacheControl: cacheControl,
                    vary: "Accept-Encoding")
                return File(file.bytes, metadata: metadata)
            }
            files["\(folder)/\(file.name)"] = kept(cacheControl: "public, max-age=31536000, immutable")
            if WebClientFile.libraryNames.contains(file.name) {
                files["/\(file.name)"] = kept(cacheControl: "no-cache")
            }
        }
        self.files = files
        let metadata = RepresentationMetadata(
            contentType: "text/html; charset=utf-8", entityTag: nil, cacheControl: "no-cache",
            vary: "Accept-Encoding, Accept",
            added: [("Content-Security-Policy", Self.policy), ("Referrer-Policy", "no-referrer")])
        page = File(WebClientFile.page(basePath: basePath, folder: base), metadata: metadata)
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
        guard let target = file.map({ files[$0] }) ?? page else { throw .noSuchRoute(request.target) }
        let coding = try negotiation.coding(ofBytes: .max)
        // Only the library is of use to pages of other origins.
        let origin = WebClientFile.libraryNames.contains { file == "/" + $0 } ? negotiation.origin : 0
        var metadata = target.metadata
        if file == nil { metadata.added += preload(for: request, query: query) }
        let head = Representation.Head(
            entityTag: metadata.entityTag(coding), headers: header.lines(of: metadata, coding: coding, for: origin),
            coding: coding)
        let selected = Representation(head: head, body: .bytes(target.body))
        guard try !Condition(request).isNotModified(selected.entityTag) else { return selected.notModified() }
        return try forms.response(of: selected)
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
