import DatabaseTables
import DatabaseTrees
import PropertyLists
import TreeSources

extension Settings {
    /// Makes the source of the document to serve, import or export.
    ///
    /// - Parameter onNotice: receives the notices of the source.
    /// - Throws: `UsageError` for an invalid value.
    func document(onNotice: @escaping SourceScheme.NoticeHandler) throws(UsageError) -> any TreeSource {
        // `init` refuses settings without a source.
        try document(sources[0], onNotice: onNotice)
    }

    /// Makes the sources of the documents to check.
    ///
    /// - Throws: `UsageError` for an invalid value.
    func checkedDocuments() throws(UsageError) -> [any TreeSource] {
        guard sources.count(where: { $0 == "-" }) < 2 else {
            throw UsageError(fact: "standard input (-) can be read only once; name it once.")
        }
        return try sources.map { source throws(UsageError) in try document(source) { _ in } }
    }

    /// Makes the source of the database into which a document is imported.
    ///
    /// - Throws: `UsageError` if the address is not the address of a database.
    func target(_ address: String) throws(UsageError) -> DatabaseTree {
        switch try document(address, onNotice: { _ in }) {
        case let target as DatabaseTree: return target
        // An import into the tables of another program fails later, with the message that the file belongs to that
        // program.
        case let tables as DatabaseTables:
            guard let path = tables.path else {
                throw UsageError(
                    fact: "'\(path: tables.name)': the address names no tree; add ?tree=NAME, the name of its schema.")
            }
            return .sqlite(path: path, name: address, interpretation: interpretation) { _ in }
        default:
            throw UsageError(
                fact:
                    "'\(path: RemoteAddress.shown(address))' is not a database; name one as sqlite:FILE, or as postgres://HOST/DATABASE?tree=NAME."
            )
        }
    }

    private func document(
        _ address: String, onNotice: @escaping SourceScheme.NoticeHandler
    ) throws(UsageError) -> any TreeSource {
        let scheme = SourceScheme.of(address)
        for (option, reason) in SourceScheme.all.filter({ $0.noun != scheme.noun }).flatMap(\.ownOptions)
        where self[keyPath: option] != nil {
            throw UsageError(
                fact: "\(name(option)): \(reason), but '\(path: RemoteAddress.shown(address))' is \(scheme.noun).")
        }
        guard interpretation.shape != .tables || scheme.noun == "a database" else {
            throw UsageError(
                fact:
                    "\(name(\Settings.interpretation.shape)): 'tables' applies only to a database, but '\(path: RemoteAddress.shown(address))' is \(scheme.noun)."
            )
        }
        return try scheme.makeSource(address, self, onNotice)
    }

    /// Makes the source of a file. If the file is a settings page, the source also has the values of the controls.
    func file(_ path: String, named name: String) -> PropertyListFile {
        var interpretation = interpretation
        interpretation.openDatabase = TableRows.opener(tables)
        return PropertyListFile(
            path: path, name: name, interpretation: interpretation, pollInterval: pollInterval, valuesPath: valuesPath)
    }

    /// Makes the options for the tables of a database.
    ///
    /// - Throws: `UsageError` if the option for titles does not name tables.
    func tableOptions() throws(UsageError) -> TableRows.Options {
        var options = tables
        guard let titleField else { return options }
        guard let columns = TableRows.Options.titleColumns(in: titleField) else {
            throw UsageError(
                fact:
                    "\(name(\.titleField)): '\(quoted: titleField)' is not a list of tables with their columns, such as \(TableRows.Options.titleExample)."
            )
        }
        options.titleColumns = columns
        return options
    }

    /// The folder of the served document's assets; nil for a kind of source without assets.
    var assetsFolder: String? { sources.first.flatMap { SourceScheme.of($0).assetsFolder($0) } }
}
