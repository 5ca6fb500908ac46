extension WebClientFile {
    /// All files, in the order of their names.
    public static let all = [
        WebClientFile(name: "app.js", bytes: PackageResources.app_js),
        WebClientFile(name: "client.css", bytes: PackageResources.client_css),
        WebClientFile(name: "detail-pane.js", bytes: PackageResources.detail_pane_js),
        WebClientFile(name: "editor.js", bytes: PackageResources.editor_js),
        WebClientFile(name: "elements.js", bytes: PackageResources.elements_js),
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
