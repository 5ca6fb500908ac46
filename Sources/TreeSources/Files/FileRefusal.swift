internal import Bytes
internal import Files
internal import Glibc
internal import PropertyLists

/// The messages for files that cannot be opened or are refused.
enum FileRefusal {
    /// The error for a path that could not be opened.
    static func notOpened(_ path: String, code: Int32) -> SourceError {
        switch code {
        case ENOENT: SourceError(path, reason: MissingFile(path).sentence)
        case ENOTDIR:
            SourceError(path, reason: "a part of this path is a file, not a folder; name a property list file")
        case EACCES where ManagedProcess.isUnit && isInHome(path), EPERM where ManagedProcess.isUnit && isInHome(path):
            SourceError(
                path,
                reason:
                    "the systemd unit hides home folders from the service; move the file to /var/lib/drilldown, or set ProtectHome=read-only in [Service] with 'systemctl edit drilldown'"
            )
        case EACCES, EPERM:
            SourceError(
                path,
                reason: "this process is not allowed to read the file (\(ErrorNumber(code))); give it permission")
        case ELOOP: SourceError(path, reason: "the symbolic links in this path form a loop; point them at a file")
        case ENXIO, ENODEV: SourceError(path, reason: "it is a socket or a device; name a property list file")
        default: SourceError(path, reason: "the file cannot be opened: \(ErrorNumber(code))")
        }
    }

    private static func isInHome(_ path: String) -> Bool {
        let path = RealPath.of(path)
        return ["/home/", "/root/", "/run/user/"].contains { path.hasPrefix($0) }
    }

    /// The error for a file that is not regular; nil for a regular file.
    static func ofKind(_ mode: mode_t, path: String) -> SourceError? {
        switch mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR:
            SourceError(
                path,
                reason:
                    "it is a folder; name a file in it, as in \(path: inside(path)), or a document that refers to its files with Source"
            )
        case S_IFIFO: SourceError(path, reason: "it is a named pipe (FIFO); name a property list file")
        case S_IFSOCK: SourceError(path, reason: "it is a socket; name a property list file")
        default: SourceError(path, reason: "it is a device; name a property list file")
        }
    }

    /// The error for a forbidden size; nil for an allowed size.
    ///
    /// - Parameter content: the required content of the file.
    static func ofSize(
        _ size: Int, limit: Int, path: String, content: String = "a property list"
    ) -> SourceError? {
        if size == 0 { return SourceError(path, reason: "the file is empty; it must contain \(content)") }
        guard size > limit else { return nil }
        return SourceError(
            path,
            reason:
                "the file has \(Quantity(count: size, noun: "byte")) and the limit is \(limit); split it, or raise MaxDocumentBytes"
        )
    }

    /// The number of attempts to read a file that changes while it is being read.
    static let attempts = 4

    /// The error for a file that changed during all attempts.
    static func changing(_ path: String) -> SourceError {
        SourceError(
            path,
            reason:
                "the file changed while it was being read, \(attempts) times in a row; it will be read when it stops changing"
        )
    }

    private static func inside(_ folder: String) -> String {
        let trimmed = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        return trimmed.hasSuffix(".bundle") ? "\(trimmed)/Root.plist" : "\(trimmed)/Data.plist"
    }
}

/// Describes a missing file: the first name of its path that does not exist, and a similar name that does.
struct MissingFile {
    private let path: String
    /// The folder that should contain the missing name, as an absolute path.
    private let folder: String
    /// The name that is missing in the folder.
    private let name: String
    private let isFolder: Bool

    init(_ path: String) {
        self.path = path
        var folder = path.isAbsolutePath ? "/" : "."
        var parts = path.pathNames.map(String.init)[...]
        while parts.count > 1, let next = parts.first, Self.isFolder(Self.join(folder, next)) {
            folder = Self.join(folder, next)
            parts.removeFirst()
        }
        self.folder = path.isAbsolutePath ? folder : RealPath.of(folder)
        name = parts.first ?? path
        isFolder = parts.count > 1
    }

    /// The message: the missing part, and a similar name in the same folder, if any.
    var sentence: String {
        if let target = PathWalk.target(of: path) {
            return "it is a symbolic link to \(path: target), which does not exist; point it at a property list file"
        }
        let near = nearestName
        if isHost {
            return "the file does not exist; for a URL, write http://\(path: path) or https://\(path: path)"
        }
        if isFolder {
            let missing = "the folder \(path: Self.join(folder, name)) does not exist"
            return near.map { "\(missing). Did you mean '\(path: $0)'?" } ?? "\(missing); name a file that exists"
        }
        guard let near else {
            return "the file does not exist in the folder \(path: folder); name a property list file that exists"
        }
        guard near.lowercased() == name.lowercased() else {
            return "the file does not exist in the folder \(path: folder). Did you mean '\(path: near)'?"
        }
        return
            "the file does not exist, but the folder \(path: folder) contains '\(path: near)', whose name differs only in case"
    }

    /// Whether the path begins like a URL without a scheme: with `localhost`, or with a name and the number of a port.
    private var isHost: Bool { path.hasPrefix(name) && name.wholeMatch(of: /localhost|[^:]+:\d+/) != nil }

    /// A similar name in the folder, if any: a name that differs only in case; otherwise a name with a similar spelling;
    /// otherwise a name that differs only in the extension; otherwise a longer name with the missing name as its prefix.
    var nearestName: String? {
        let wanted = name.lowercased()
        let names = FolderNames.of(folder).filter { $0 != name }.sorted()
        return names.first { $0.lowercased() == wanted } ?? EditDistance.nearest(to: name, among: names)
            ?? names.first { Self.stem($0) == Self.stem(name) } ?? names.first { $0.lowercased().hasPrefix(wanted) }
    }

    /// The name in lower case without its extension.
    private static func stem(_ name: String) -> Substring {
        let name = name.lowercased()
        guard let point = name.lastIndex(of: "."), point > name.startIndex else { return name[...] }
        return name[..<point]
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// The names in a folder.
enum FolderNames {
    /// The maximum number of names to keep. A folder may hold millions.
    private static let most = 10_000

    /// The first names in a folder, without `.` and `..`, in any order; empty if the folder cannot be read
    /// (`readdir(3)`).
    ///
    /// - Parameter isWanted: selects the names to keep and count; by default all names.
    static func of(_ folder: String, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while names.count < most, let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != "..", isWanted(name) { names.append(name) }
        }
        return names
    }
}

/// Limits the number of missing files of a load for which a similar name is sought. Each search compares all names in a
/// folder.
struct SuggestionLimit {
    private var rest = 20

    /// Counts a search. Returns whether the search is allowed.
    mutating func take() -> Bool {
        rest -= 1
        return rest >= 0
    }
}

/// Properties of this process that depend on the service manager.
public enum ManagedProcess {
    /// Whether systemd started the process for a unit. If so, the settings of the unit may be the reason of a refusal.
    public static let isUnit = unsafe getenv("INVOCATION_ID") != nil && getppid() == 1
}
