extension WebClientFile {
    /// All files, in the order of their names.
    public static let all = [
        WebClientFile("app.js", PackageResources.app_js),
        WebClientFile("client.css", PackageResources.client_css),
        WebClientFile("detail-pane.js", PackageResources.detail_pane_js),
        WebClientFile("editor.js", PackageResources.editor_js),
        WebClientFile("elements.js", PackageResources.elements_js),
        WebClientFile("index.html", PackageResources.index_html),
        WebClientFile("level-pane.js", PackageResources.level_pane_js),
        WebClientFile("level.js", PackageResources.level_js),
        WebClientFile("list.js", PackageResources.list_js),
        WebClientFile("menus.js", PackageResources.menus_js),
        WebClientFile("messages.js", PackageResources.messages_js),
        WebClientFile("place.js", PackageResources.place_js),
        WebClientFile("row.js", PackageResources.row_js),
        WebClientFile("service.js", PackageResources.service_js),
    ]
}
