internal import Glibc
internal import PropertyLists

/// The messages for files that cannot be opened or are refused.
enum FileRefusal {
    /// Why a path could not be opened.
    static func notOpened(_ path: String, _ code: Int32) -> SourceError {
        switch code {
        case ENOENT: SourceError(path, MissingFile(path).sentence)
        case ENOTDIR: SourceError(path, "a part of this path is a file, not a folder; name a property list file")
        case EACCES, EPERM:
            SourceError(
                path, "this process is not allowed to read the file (\(SystemReason.text(code))); give it permission")
        case ELOOP: SourceError(path, "the symbolic links in this path form a loop; point them at a file")
        case ENXIO, ENODEV: SourceError(path, "it is a socket or a device; name a property list file")
        default: SourceError(path, "the file cannot be opened: \(SystemReason.text(code))")
        }
    }

    /// Why something other than a regular file is refused; nil for a regular file.
    static func ofKind(_ mode: mode_t, path: String) -> SourceError? {
        switch mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR:
            SourceError(path, "it is a folder; name the property list file in it, as in \(path: inside(path))")
        case S_IFIFO: SourceError(path, "it is a named pipe (FIFO); name a property list file")
        case S_IFSOCK: SourceError(path, "it is a socket; name a property list file")
        default: SourceError(path, "it is a device; name a property list file")
        }
    }

    /// Why a size is refused; nil if it is allowed.
    ///
    /// - Parameter content: what the file must contain.
    static func ofSize(
        _ size: Int, limit: Int, path: String, content: String = "a property list"
    ) -> SourceError? {
        if size == 0 { return SourceError(path, "the file is empty; it must contain \(content)") }
        guard size > limit else { return nil }
        return SourceError(
            path,
            "the file has \(Quantity(size, "byte")) and the limit is \(limit); split it, or raise MaxDocumentBytes")
    }

    private static func inside(_ folder: String) -> String {
        let trimmed = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        return trimmed.hasSuffix(".bundle") ? "\(trimmed)/Root.plist" : "\(trimmed)/Data.plist"
    }
}
