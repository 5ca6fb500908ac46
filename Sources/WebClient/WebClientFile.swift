/// A file of the web client. All files are part of the program.
public struct WebClientFile: Sendable {
    /// The name, with its extension.
    public let name: String
    /// The content: the source file; in a module, without the lines that contain only a comment.
    public let bytes: [UInt8]

    /// The name of the one HTML page.
    public static let pageName = "index.html"

    /// The name of the client library for other web pages. The path of the library stays the same in all versions.
    public static let libraryName = "drilldown.js"

    /// The modules that are loaded only when they are needed.
    private static let loadedLater = [
        "detail-pane.js", "dialogs.js", "dragging.js", "edit-form.js", "editor.js", "edits.js", "history.js",
        "menus.js", "plist.js",
    ]

    /// The media type, which follows from the extension of the name.
    public var contentType: String {
        if name.hasSuffix(".js") { return "text/javascript; charset=utf-8" }
        return name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/html; charset=utf-8"
    }

    /// Returns the HTML page. The files of the page are in a folder of the service.
    ///
    /// - Parameters:
    ///   - basePath: the prefix of all paths behind a proxy, without a final slash.
    ///   - folder: the target of the folder, without a final slash.
    public static func page(basePath: String, folder: String) -> [UInt8] {
        let base = basePath + folder
        let modules = all.filter { $0.name.hasSuffix(".js") && !loadedLater.contains($0.name) && $0.name != "app.js" }
        // Without these links, modules that import each other would be loaded one after the other.
        let links = modules.map { "<link rel=\"modulepreload\" href=\"\(base)/\($0.name)\">" }
        let page = String(decoding: PackageResources.index_html, as: UTF8.self)
            .replacing("{{preload}}", with: links.joined(separator: "\n")).replacing("{{base}}", with: base)
            .replacing("{{prefix}}", with: basePath)
        return Array(page.utf8)
    }
}

extension WebClientFile {
    /// All files, in the order of their names.
    public static let all = sources.map { file in
        file.name.hasSuffix(".js") && file.name != libraryName ? file.withoutComments : file
    }

    /// The file without the lines that contain only a `//` comment. These lines are a sixth of the modules' bytes.
    private var withoutComments: WebClientFile {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let code = lines.filter { line in !line.drop { $0 == UInt8(ascii: " ") }.starts(with: "//".utf8) }
        return WebClientFile(name: name, bytes: Array(code.joined(separator: [UInt8(ascii: "\n")])))
    }

    private static let sources = [
        WebClientFile(name: "app.js", bytes: PackageResources.app_js),
        WebClientFile(name: "client.css", bytes: PackageResources.client_css),
        WebClientFile(name: "columns.js", bytes: PackageResources.columns_js),
        WebClientFile(name: "detail-pane.js", bytes: PackageResources.detail_pane_js),
        WebClientFile(name: "dialogs.js", bytes: PackageResources.dialogs_js),
        WebClientFile(name: "dragging.js", bytes: PackageResources.dragging_js),
        WebClientFile(name: "drilldown.js", bytes: PackageResources.drilldown_js),
        WebClientFile(name: "edit-form.js", bytes: PackageResources.edit_form_js),
        WebClientFile(name: "editing.css", bytes: PackageResources.editing_css),
        WebClientFile(name: "editor.js", bytes: PackageResources.editor_js),
        WebClientFile(name: "edits.js", bytes: PackageResources.edits_js),
        WebClientFile(name: "elements.js", bytes: PackageResources.elements_js),
        WebClientFile(name: "history.js", bytes: PackageResources.history_js),
        WebClientFile(name: "index.html", bytes: PackageResources.index_html),
        WebClientFile(name: "level-head.js", bytes: PackageResources.level_head_js),
        WebClientFile(name: "level-pane.js", bytes: PackageResources.level_pane_js),
        WebClientFile(name: "level.js", bytes: PackageResources.level_js),
        WebClientFile(name: "list.js", bytes: PackageResources.list_js),
        WebClientFile(name: "menus.js", bytes: PackageResources.menus_js),
        WebClientFile(name: "messages.js", bytes: PackageResources.messages_js),
        WebClientFile(name: "place.js", bytes: PackageResources.place_js),
        WebClientFile(name: "plist.js", bytes: PackageResources.plist_js),
        WebClientFile(name: "row.js", bytes: PackageResources.row_js),
        WebClientFile(name: "service.js", bytes: PackageResources.service_js),
    ]
}
