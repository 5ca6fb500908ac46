internal import Glibc

/// A file written beside the one that it will replace, so that the name always refers to a complete file.
struct AsideFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private var asidePath: String { Self.asidePath(of: path) }

    /// Always the same name, so that the remains of a killed process are overwritten.
    private static func asidePath(of path: String) -> String { path + ".new" }

    /// - Throws: `SystemFailure` if the file cannot be created in the folder.
    init(replacing path: String) throws(SystemFailure) {
        let aside = Self.asidePath(of: path)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        descriptor = unsafe open(aside, flags, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw SystemFailure(code: errno, path: path) }
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) {
        guard unsafe bytes.writeAll(to: descriptor) else { throw SystemFailure(code: errno, path: path) }
    }

    /// Replaces the other file, and returns when the replacement is on disk.
    ///
    /// - Returns: the state of the replaced file.
    /// - Throws: `SystemFailure` if it cannot be written; the other file is unchanged.
    func replace() throws(SystemFailure) -> FileIdentity {
        var status = stat()
        guard fsync(descriptor) == 0, unsafe fstat(descriptor, &status) == 0, unsafe rename(asidePath, path) == 0 else {
            throw SystemFailure(code: errno, path: path)
        }
        try syncFolder()
        return FileIdentity(status)
    }

    /// Removes the file.
    func remove() { _ = unsafe unlink(asidePath) }

    /// The new name is on disk only when the folder is.
    private func syncFolder() throws(SystemFailure) {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "./"
        let opened = unsafe open(String(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw SystemFailure(code: errno, path: path) }
        defer { _ = close(opened) }
        // Some file systems have nothing to sync in a folder, and say so.
        guard fsync(opened) == 0 || errno == EINVAL else { throw SystemFailure(code: errno, path: path) }
    }
}
