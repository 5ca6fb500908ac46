import Bytes
import ContentCodings
import Files
import Glibc
import HTTPServer
import Levels
import PropertyLists

/// `GET /assets/<file>`: the files of the document's assets folder (manual, Assets).
struct Assets {
    private let folder: ContainedFolder?
    let header: ResponseHeader
    let cacheControl: String
    let open = OpenAssets()

    /// - Parameter folder: the folder, which need not exist; nil for a document without an assets folder.
    init(in folder: String?, cacheControl: String, header: ResponseHeader) {
        self.folder = folder.map { ContainedFolder(path: $0, opensHidden: false) }
        self.cacheControl = cacheControl
        self.header = header
    }

    /// The response to a request for a file. The path is the part of the target after `/assets`.
    ///
    /// - Throws: `Problem` (400, 404, 412, 416 or 503).
    func response(
        to request: Request, at path: Span<UInt8>, for origin: AllowedOrigins.Place
    ) throws(Problem) -> Response {
        let name = try AssetName.relativePath(path)
        let file = AssetFile(try opened(name))
        return try AssetAnswer(
            request: request, file: file, type: AssetType(ofFileNamed: name), now: time(nil), assets: self,
            origin: origin
        ).response()
    }

    /// Opens a file. A file that cannot be opened counts as missing, except if the service lacks descriptors or memory.
    private func opened(_ name: String) throws(Problem) -> OpenFile {
        guard let folder else {
            throw Problem(
                .noSuchFile,
                detail: "This document has no assets folder; only a document in a file or a folder has one.")
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

/// The name of an asset in a target: segments that are percent-decoded once.
enum AssetName {
    /// The path of the file, relative to the folder.
    ///
    /// - Throws: `Problem` (400) for a segment that is not percent-encoded UTF-8; 404 for a name that no file can have.
    static func relativePath(_ path: Span<UInt8>) throws(Problem) -> String {
        guard path.count > 1 else {
            throw Problem(
                .noSuchFile, detail: "Name a file of the assets folder, as /assets/<file>; the folder is not listed.")
        }
        var segments: [String] = []
        var isPlain = true
        var start = 1
        for end in 1...path.count where end == path.count || path[end] == UInt8(ascii: "/") {
            let segment = try decoded(path.extracting(start..<end))
            if ["", ".", ".."].contains(segment) || segment.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
            {
                isPlain = false
            }
            segments.append(segment)
            start = end + 1
        }
        let name = segments.joined(separator: "/")
        guard isPlain else { throw .noSuchFile(name) }
        return name
    }

    private static func decoded(_ segment: Span<UInt8>) throws(Problem) -> String {
        guard let bytes = PercentEncoding.decode(segment), let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(.badPath, detail: "The path segment '\(quoted: segment)' is not percent-encoded UTF-8.")
        }
        return text
    }
}

/// The content type of a file, by the extension of its name.
struct AssetType: Equatable {
    let contentType: String
    /// The `Content-Security-Policy` for a type whose files can run scripts when a browser shows them; nil for other
    /// types.
    var policy: String?

    /// Selects the content type by the name of a file. Web pages and scripts are sent as plain text, so that no file in
    /// the folder runs as part of the service.
    init(ofFileNamed name: String) {
        let file = name.pathNames.last ?? ""
        let dot = file.lastIndex(of: ".")
        let ending = dot.map { file[file.index(after: $0)...].lowercased() } ?? ""
        contentType = Self.types[ending] ?? "application/octet-stream"
        policy = contentType == "image/svg+xml" ? Self.withoutScripts : nil
    }

    private static let withoutScripts = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
    private static let text = "text/plain; charset=utf-8"

    private static let types = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "avif": "image/avif", "heic": "image/heic", "heif": "image/heif", "bmp": "image/bmp", "ico": "image/x-icon",
        "tif": "image/tiff", "tiff": "image/tiff", "svg": "image/svg+xml",
        "pdf": "application/pdf", "json": "application/json", "zip": "application/zip",
        "txt": text, "md": text, "log": text, "html": text, "htm": text, "xhtml": text, "xml": text, "js": text,
        "mjs": text, "csv": "text/csv; charset=utf-8", "css": "text/css; charset=utf-8",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "wav": "audio/wav", "ogg": "audio/ogg",
        "flac": "audio/flac", "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
    ]
}
