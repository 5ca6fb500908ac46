extension WebClientFile {
    /// All files, in the order of their names.
    public static let all = served([
        ("app.js", PackageResources.app_js),
        ("client.css", PackageResources.client_css),
        ("detail-pane.js", PackageResources.detail_pane_js),
        ("editor.js", PackageResources.editor_js),
        ("elements.js", PackageResources.elements_js),
        ("index.html", PackageResources.index_html),
        ("level-pane.js", PackageResources.level_pane_js),
        ("level.js", PackageResources.level_js),
        ("list.js", PackageResources.list_js),
        ("menus.js", PackageResources.menus_js),
        ("messages.js", PackageResources.messages_js),
        ("place.js", PackageResources.place_js),
        ("row.js", PackageResources.row_js),
        ("service.js", PackageResources.service_js),
    ])
}
