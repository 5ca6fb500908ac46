import CEmbeddedFiles

/// A file of the web client. All files are part of the program.
struct WebClientFile: Sendable {
    /// The name, with its extension.
    let name: String
    /// The content: the source file; in a module, without the lines that contain only a comment.
    let bytes: [UInt8]

    /// The name of the one HTML page.
    static let pageName = "index.html"

    /// The names of the client library for other web pages and of its types for TypeScript. Their paths stay the same in
    /// all versions.
    static let libraryNames = ["drilldown.js", "drilldown.d.ts"]

    /// The modules that are loaded only when they are needed.
    private static let loadedLater = [
        "detail-pane.js", "dialogs.js", "dragging.js", "edit-form.js", "editor.js", "edits.js", "history.js",
        "marks.js", "menus.js", "plist.js",
    ]

    /// The media type, which follows from the extension of the name.
    var contentType: String {
        if name.hasSuffix(".js") { return "text/javascript; charset=utf-8" }
        if name.hasSuffix(".ts") { return "text/plain; charset=utf-8" }
        return name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/html; charset=utf-8"
    }

    /// Returns the HTML page. The files of the page are in a folder of the service.
    ///
    /// - Parameters:
    ///   - basePath: the prefix of all paths behind a proxy, without a final slash.
    ///   - folder: the target of the folder, without a final slash.
    static func page(basePath: String, folder: String) -> [UInt8] {
        let base = basePath + folder
        let modules = all.filter { $0.name.hasSuffix(".js") && !loadedLater.contains($0.name) && $0.name != "app.js" }
        // Without these links, modules that import each other would be loaded one after the other.
        let links = modules.map { "<link rel=\"modulepreload\" href=\"\(base)/\($0.name)\">" }
        let page = all.first { $0.name == pageName }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        return Array(
            page.replacing("{{preload}}", with: links.joined(separator: "\n")).replacing("{{base}}", with: base)
                .replacing("{{prefix}}", with: basePath).utf8)
    }
}

extension WebClientFile {
    /// All files, in the order of their names.
    static let all = sources.map { file in
        file.name.hasSuffix(".js") && !libraryNames.contains(file.name) ? file.withoutComments : file
    }

    /// The file without the lines that contain only a `//` comment. These lines are a sixth of the modules' bytes.
    private var withoutComments: WebClientFile {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let code = lines.filter { line in !line.drop { $0 == UInt8(ascii: " ") }.starts(with: "//".utf8) }
        return WebClientFile(name: name, bytes: Array(code.joined(separator: [UInt8(ascii: "\n")])))
    }

    private static let sources: [WebClientFile] = {
        var files: [WebClientFile] = []
        var next = unsafe drilldown_web_client()
        while let file = unsafe next?.pointee, let name = unsafe file.name, let text = unsafe file.text {
            unsafe files.append(WebClientFile(name: String(cString: name), bytes: Array(String(cString: text).utf8)))
            unsafe next = next?.successor()
        }
        return files
    }()
}
