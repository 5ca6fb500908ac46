internal import Glibc

extension PropertyListFile {
    /// What can be saved to the file in its current state.
    public var savability: Savability {
        guard shape != .any else { return .nothing(.anyShape) }
        return refusal.map(Savability.nothing) ?? .items
    }

    private var refusal: SaveRefusal? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return Self.unreached }
        var target = path
        if status.st_mode & S_IFMT == S_IFLNK {
            // A link's target is replaced, not the link.
            guard let resolved = RealPath.existing(path) else { return Self.unreached }
            target = resolved
            guard unsafe stat(target, &status) == 0 else { return .missingFile }
        }
        // Root may write to any file, but a file that nobody has permission to write to is meant to stay as it is.
        guard status.st_mode & 0o222 != 0 else { return .readOnlyFile }
        return Self.denial(of: W_OK, to: target, .readOnlyFile)
            ?? Self.denial(of: R_OK | W_OK | X_OK, to: FileReplacement.folder(of: target), .readOnlyFolder)
    }

    /// Why the file was not found just now.
    private static var unreached: SaveRefusal {
        errno == ENOENT || errno == ENOTDIR ? .missingFile : .unreachableFile
    }

    /// Why this process may not do something (`faccessat(2)`); nil if it may.
    static func denial(of access: Int32, to path: String, _ usual: SaveRefusal) -> SaveRefusal? {
        unsafe faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0 ? nil : refusal(denied: errno, by: usual)
    }

    /// The refusal for an error number.
    static func refusal(denied code: Int32, by usual: SaveRefusal) -> SaveRefusal {
        code == EROFS ? .readOnlyFileSystem : usual
    }
}
