internal import Files
internal import Glibc
internal import Levels

/// A reference to a part, with the folder to which the part's path is relative.
struct PartPlace: Hashable {
    /// The folder of the document that refers to the part.
    let folder: String
    let reference: PartReference

    /// The path for watching the file. It may lead out of the folder, so the file must not be opened by this path.
    var path: String { folder == "/" ? "/" + relativePath : "\(folder)/\(relativePath)" }

    /// The path from the folder. For a SQLite file, this is the address without its scheme.
    var relativePath: String {
        guard case .database = reference.kind, reference.path.hasPrefix(Self.sqlitePrefix) else {
            return reference.path
        }
        return String(reference.path.dropFirst(Self.sqlitePrefix.count))
    }

    /// The name for clients: the path as the document writes it. An absolute path of a database is reduced to its last
    /// name.
    var shownName: String {
        guard case .database = reference.kind, relativePath.isAbsolutePath else { return reference.path }
        return String(reference.path.dropLast(relativePath.count) + (relativePath.pathNames.last ?? ""))
    }

    static let sqlitePrefix = "sqlite:"

    /// Whether the part is a file, and not a database on a server.
    var isOfFile: Bool {
        guard case .database = reference.kind else { return true }
        return reference.path.hasPrefix(Self.sqlitePrefix)
    }

    /// Whether the path cannot name a file, so that watching is pointless.
    var isImpossible: Bool {
        guard isOfFile else { return true }
        let path = relativePath
        guard !path.isEmpty, !path.isAbsolutePath, !path.utf8.contains(0) else { return true }
        var depth = 0
        for name in path.pathNames where name != "." {
            depth += name == ".." ? -1 : 1
            if depth < 0 { return true }
        }
        return false
    }
}

/// The open file of a part: a regular file in the folder of the document that refers to it.
struct OpenPart: ~Copyable {
    /// The path without symbolic links.
    let path: String
    let file: DocumentFile

    /// - Parameter suggestions: limits the similar names in the messages of this load.
    /// - Throws: `SourceError` if the file may not or cannot be read. The error names the file as the document does.
    init(
        place: PartPlace, maximumBytes: Int, suggestions: inout SuggestionLimit
    ) throws(SourceError) {
        let opened = try Self.opened(place, suggestions: &suggestions)
        let path = try Self.path(of: opened, place: place, suggestions: &suggestions)
        let size = Int(opened.status.st_size)
        let content = place.reference.kind == .document ? "a property list" : "a table"
        let refusal = FileRefusal.ofSize(size, limit: maximumBytes, path: place.reference.path, content: content)
        if let refusal { throw refusal }
        self.path = path
        file = DocumentFile(takingOver: opened.release())
    }

    /// Returns the path of a part without symbolic links, for a library that opens the file itself, such as SQLite.
    static func path(to place: PartPlace, suggestions: inout SuggestionLimit) throws(SourceError) -> String {
        try path(of: try opened(place, suggestions: &suggestions), place: place, suggestions: &suggestions)
    }

    private static func opened(
        _ place: PartPlace, suggestions: inout SuggestionLimit
    ) throws(SourceError) -> OpenFile {
        do throws(ContainmentError) {
            return try ContainedFolder(path: place.folder).open(place.relativePath)
        } catch {
            throw PartRefusal.notOpened(place, error: error, suggestions: &suggestions)
        }
    }

    private static func path(
        of file: borrowing OpenFile, place: PartPlace, suggestions: inout SuggestionLimit
    ) throws(SourceError) -> String {
        do throws(ContainmentError) {
            return try file.realPath()
        } catch {
            throw PartRefusal.notOpened(place, error: error, suggestions: &suggestions)
        }
    }
}
