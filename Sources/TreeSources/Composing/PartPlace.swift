internal import Files
internal import Levels

/// A part as a document refers to it, beside the folder from which its path leads.
struct PartPlace: Hashable {
    /// The folder of the document that refers to it.
    let folder: String
    let reference: PartReference

    /// The path, for the system; a path that leads out of the folder must not be opened by it.
    var path: String { folder == "/" ? "/" + reference.path : "\(folder)/\(reference.path)" }

    /// Whether no file can be there, so that there is nothing to watch.
    var isImpossible: Bool {
        let path = reference.path
        guard !path.isEmpty, !path.isAbsolutePath, !path.utf8.contains(0) else { return true }
        var depth = 0
        for name in path.pathNames where name != "." {
            depth += name == ".." ? -1 : 1
            if depth < 0 { return true }
        }
        return false
    }

    /// The folder of a path; `.` for a name alone.
    static func folder(of path: String) -> String {
        guard let slash = path.lastSlash else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }
}
