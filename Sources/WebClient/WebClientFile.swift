/// A file of the web client, which is part of the program.
public struct WebClientFile: Sendable {
    /// The name, with its extension.
    public let name: String
    /// The content: the source file as it is.
    public let bytes: [UInt8]

    /// The name of the one HTML page.
    public static let pageName = "index.html"

    /// The modules that are loaded when someone edits.
    private static let loadedLater = ["dragging.js", "edit-form.js", "editor.js", "edits.js", "history.js"]

    /// The media type, by the extension.
    public var contentType: String {
        if name.hasSuffix(".js") { return "text/javascript; charset=utf-8" }
        return name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/html; charset=utf-8"
    }

    /// The page, with its files in a folder of the service.
    ///
    /// - Parameter base: the target of the folder, without a final slash.
    public static func page(base: String) -> [UInt8] {
        let modules = all.filter { $0.name.hasSuffix(".js") && !loadedLater.contains($0.name) && $0.name != "app.js" }
        // Without these links, modules that import each other would be loaded one after the other.
        let links = modules.map { "<link rel=\"modulepreload\" href=\"\(base)/\($0.name)\">" }
        let page = String(decoding: PackageResources.index_html, as: UTF8.self)
            .replacing("{{preload}}", with: links.joined(separator: "\n")).replacing("{{base}}", with: base)
        return Array(page.utf8)
    }
}

extension WebClientFile {
    /// All files, in the order of their names.
    public static let all = [
        WebClientFile(name: "app.js", bytes: PackageResources.app_js),
        WebClientFile(name: "client.css", bytes: PackageResources.client_css),
        WebClientFile(name: "detail-pane.js", bytes: PackageResources.detail_pane_js),
        WebClientFile(name: "dragging.js", bytes: PackageResources.dragging_js),
        WebClientFile(name: "edit-form.js", bytes: PackageResources.edit_form_js),
        WebClientFile(name: "editor.js", bytes: PackageResources.editor_js),
        WebClientFile(name: "edits.js", bytes: PackageResources.edits_js),
        WebClientFile(name: "elements.js", bytes: PackageResources.elements_js),
        WebClientFile(name: "history.js", bytes: PackageResources.history_js),
        WebClientFile(name: "index.html", bytes: PackageResources.index_html),
        WebClientFile(name: "level-pane.js", bytes: PackageResources.level_pane_js),
        WebClientFile(name: "level.js", bytes: PackageResources.level_js),
        WebClientFile(name: "list.js", bytes: PackageResources.list_js),
        WebClientFile(name: "menus.js", bytes: PackageResources.menus_js),
        WebClientFile(name: "messages.js", bytes: PackageResources.messages_js),
        WebClientFile(name: "place.js", bytes: PackageResources.place_js),
        WebClientFile(name: "row.js", bytes: PackageResources.row_js),
        WebClientFile(name: "service.js", bytes: PackageResources.service_js),
    ]
}
