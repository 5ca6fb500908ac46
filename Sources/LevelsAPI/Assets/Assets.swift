import Bytes
import ContentCodings
import Files
import Glibc
import HTTPServer

/// `GET /assets/<file>`: the files of the document's assets folder (manual, Assets).
struct Assets {
    private let folder: ContainedFolder?
    private let header: ResponseHeader
    private let cacheControl: String
    private let open = OpenAssets()

    init(_ configuration: LevelsAPI.Configuration, _ header: ResponseHeader) {
        folder = configuration.assetsFolder.map { ContainedFolder($0, opensHidden: false) }
        cacheControl = configuration.cacheControl
        self.header = header
    }

    /// The response to a request for the file at a path.
    ///
    /// - Parameter path: the part of the target after `/assets`.
    /// - Throws: `Problem` (400, 404, 412, 416 or 503).
    func response(
        to request: Request, at path: Span<UInt8>, for origin: AllowedOrigins.Place
    ) throws(Problem) -> Response {
        let name = try AssetName.relativePath(path)
        let file = AssetFile(try opened(name))
        let answer = AssetAnswer(
            request: request, file: file, type: AssetType(ofFileNamed: name), now: time(nil), assets: open)
        return try answer.response { contentType, tag, added in
            let metadata = RepresentationMetadata(
                contentType: contentType, entityTag: tag, cacheControl: cacheControl, vary: nil, added: added)
            return header.lines(of: metadata, .identity, for: origin)
        }
    }

    /// A file that is not opened is as if it did not exist, whatever the reason, unless the service is short of something.
    private func opened(_ name: String) throws(Problem) -> OpenFile {
        guard let folder else {
            throw Problem(.noSuchFile, "This document has no assets folder; only that of a file has one, beside it.")
        }
        do {
            return try folder.open(name)
        } catch .unreadable(let code) where [EMFILE, ENFILE, ENOMEM].contains(code) {
            throw .tooManyFiles
        } catch {
            throw .noSuchFile(name)
        }
    }
}
