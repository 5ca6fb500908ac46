internal import Glibc

/// The permissions of this process for files.
enum FileAccess {
    /// The reason why the file at a path cannot be replaced; nil if it can be replaced.
    static func refusal(ofReplacing path: String) -> SaveRefusal? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return unreached }
        var target = path
        if status.st_mode & S_IFMT == S_IFLNK {
            // A link's target is replaced, not the link.
            guard let resolved = RealPath.existing(path) else { return unreached }
            target = resolved
            guard unsafe stat(target, &status) == 0 else { return .missingFile }
        }
        // Root may write to any file. But if nobody has permission to write to a file, the file is meant to stay as it
        // is.
        guard status.st_mode & 0o222 != 0 else { return .readOnlyFile }
        return denial(of: W_OK, to: target, usual: .readOnlyFile)
            ?? denial(of: R_OK | W_OK | X_OK, to: FileReplacement.folder(of: target), usual: .readOnlyFolder)
    }

    /// The reason why the last system call did not find a file, from `errno`.
    private static var unreached: SaveRefusal {
        errno == ENOENT || errno == ENOTDIR ? .missingFile : .unreachableFile
    }

    /// The reason why an access is denied (`faccessat(2)`); nil if the access is permitted.
    ///
    /// - Parameter usual: the reason to give, unless the file system is read-only.
    static func denial(of access: Int32, to path: String, usual: SaveRefusal) -> SaveRefusal? {
        unsafe faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0 ? nil : refusal(denied: errno, by: usual)
    }

    /// The refusal for an error number.
    static func refusal(denied code: Int32, by usual: SaveRefusal) -> SaveRefusal {
        code == EROFS ? .readOnlyFileSystem : usual
    }
}
