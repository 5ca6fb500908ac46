import DatabaseTables
import DatabaseTrees
import Glibc
import PropertyLists
import TreeSources

/// A kind of source, chosen by the form of its address. To add a kind, write it in a file of its own and list it in
/// `all`.
struct SourceScheme: Sendable {
    /// Receives the notices of a source.
    typealias NoticeHandler = @Sendable (SourceNotice) -> Void

    /// The name of the kind in a sentence, such as `a file`.
    let noun: String
    /// The options that only this kind takes, each with the reason why other kinds refuse it.
    var ownOptions: [(any KeyPath<Settings, String?> & Sendable, reason: String)] = []
    /// Whether an address has the form of this kind.
    let matches: @Sendable (_ address: String) -> Bool
    /// The beginning of an address that the path of a file follows; nil if no path follows.
    var pathPrefix: String?
    /// Returns the folder of the document's assets; nil for a kind without assets.
    var assetsFolder: @Sendable (_ address: String) -> String? = { _ in nil }
    /// Makes the source without reading it.
    let makeSource:
        @Sendable (_ address: String, Settings, @escaping NoticeHandler) throws(UsageError) -> any TreeSource

    /// All kinds, in the order in which they are tried. The last kind accepts every address.
    static let all = [standardInput, web, sqlite, sqliteFile, postgres, bundle, file]

    /// Returns the kind of an address.
    static func of(_ address: String) -> SourceScheme { all.first { $0.matches(address) } ?? file }
}

extension SourceScheme {
    /// Standard input, which `check` reads once.
    static let standardInput = SourceScheme(
        noun: "standard input", matches: { $0 == "-" },
        makeSource: { _, settings, _ in
            StandardInput(interpretation: settings.interpretation)
        })

    /// A document at an `http` or `https` URL.
    static let web = SourceScheme(
        noun: "a URL", ownOptions: [(\.copyPath, "only the document of a URL is copied")],
        matches: RemoteAddress.isMeant(by:),
        makeSource: { (address, settings, onNotice) throws(UsageError) in
            RemoteDocument(
                address: try remoteAddress(address),
                interpretation: settings.interpretation,
                limits: RemoteDocument.Limits(
                    bytes: settings.interpretation.maximumBytes, patience: settings.fetchTimeout),
                interval: settings.refreshInterval, copyPath: settings.copyPath, onNotice: onNotice)
        })

    private static func remoteAddress(_ text: String) throws(UsageError) -> RemoteAddress {
        do {
            return try RemoteAddress(text)
        } catch {
            throw UsageError(fact: "\(error)")
        }
    }

    /// A tree in a SQLite file, or the tables of another program's SQLite file.
    static let sqlite = SourceScheme(
        noun: "a database", matches: { $0.hasPrefix(sqlitePrefix) }, pathPrefix: sqlitePrefix,
        makeSource: { (address, settings, onNotice) throws(UsageError) in
            let path = String(address.dropFirst(sqlitePrefix.count))
            guard !path.isEmpty else { throw UsageError(fact: "'sqlite:' names no file; write sqlite:FILE.") }
            if settings.interpretation.shape == .tables || DatabaseTables.areTables(path: path) {
                return DatabaseTables(
                    sqlite: path, name: address, options: try settings.tableOptions(), patience: settings.firstPatience)
            }
            return DatabaseTree.sqlite(
                path: path, name: address, interpretation: settings.interpretation, patience: settings.firstPatience,
                onNotice: onNotice)
        })

    static let sqlitePrefix = "sqlite:"

    /// The path of a file that is a SQLite database.
    static let sqliteFile = SourceScheme(
        noun: "a database", matches: DatabaseTree.isSQLite(path:), pathPrefix: "",
        makeSource: { (address, settings, onNotice) throws(UsageError) in
            try sqlite.makeSource(sqlitePrefix + address, settings, onNotice)
        })

    /// A tree in PostgreSQL, or the tables of a PostgreSQL database.
    static let postgres = SourceScheme(
        noun: "a database", ownOptions: [(\.databasePasswordFile, "only a PostgreSQL server takes a password")],
        matches: DatabaseTree.isPostgres(address:),
        makeSource: { (address, settings, onNotice) throws(UsageError) in
            let areTables = settings.interpretation.shape == .tables
            let options = try settings.tableOptions()
            do throws(SourceError) {
                if areTables || !DatabaseTree.isTree(address: address) {
                    return try DatabaseTables(
                        postgres: address, passwordFile: settings.databasePasswordFile, options: options,
                        refusesTrees: !areTables, patience: settings.firstPatience)
                }
                return try DatabaseTree.postgres(
                    address, passwordFile: settings.databasePasswordFile, interpretation: settings.interpretation,
                    patience: settings.firstPatience, onNotice: onNotice)
            } catch {
                throw UsageError(fact: "\(error)")
            }
        })

    /// The folder of a settings bundle. The root page is a file in this folder.
    static let bundle = SourceScheme(
        noun: "a file", matches: { PropertyListFile.rootPage(inBundle: $0) != nil }, pathPrefix: "",
        assetsFolder: { $0 + "/assets" },
        makeSource: { address, settings, _ in
            settings.file(PropertyListFile.rootPage(inBundle: address) ?? address, named: address)
        })

    /// The path of a file.
    static let file = SourceScheme(
        noun: "a file", ownOptions: [(\.valuesPath, "only a settings page in a file has stored values")],
        matches: { _ in true }, pathPrefix: "", assetsFolder: assetsFolder(beside:),
        makeSource: { (address, settings, _) throws(UsageError) in
            if let refusal = refusal(ofURL: address) { throw refusal }
            return settings.file(address, named: address)
        })

    /// Returns the refusal of a source that looks like a URL of another scheme (RFC 3986, section 3.1); nil for a path.
    private static func refusal(ofURL source: String) -> UsageError? {
        guard let end = source.firstRange(of: "://") else { return nil }
        let scheme = source[..<end.lowerBound]
        guard scheme.first?.isLetter == true, scheme.allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
        else { return nil }
        let shown = RemoteAddress.shown(source)
        if scheme.lowercased() == "file" {
            // RFC 8089, section 2: the host of this machine is empty or `localhost`.
            let rest = source[end.upperBound...]
            let host = rest.prefix { $0 != "/" }
            let path = rest[host.endIndex...]
            let isPath = ["", "localhost"].contains(host) && !path.isEmpty && !path.contains("%")
            return UsageError(
                fact: "'\(path: shown)': name a file by its path" + (isPath ? ": \(path: path)." : ", without 'file:'.")
            )
        }
        return UsageError(
            fact:
                "'\(path: shown)': a document must be a file, an http or https URL, sqlite:FILE or a postgres URL; \(scheme) is not supported."
        )
    }

    /// Returns the folder `assets` beside the file at a path. If the path names a folder, returns the folder `assets`
    /// in it.
    private static func assetsFolder(beside path: String) -> String {
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return path + "/assets" }
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] + "assets" } ?? "assets"
    }
}
