import Files

/// How a file is labelled, by the extension of its name.
struct AssetType: Equatable {
    let contentType: String
    /// The policy for a type that a browser shows as a document that can run scripts.
    var policy: String?

    /// The type of a file with a name.
    ///
    /// Pages and scripts are plain text, so that nothing that an author puts into the folder runs as part of the service.
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
