public import Glibc

/// A folder whose files are opened by relative names. A file outside of the folder is never opened.
///
/// Not only the given name is checked, but also the path of the file, once the file is held open. A symbolic link that
/// is swapped in at the last moment therefore cannot lead out of the folder. If `opensHidden` is false, a link with a
/// visible name cannot open a hidden file. The kernel shows the path of an open file in `/proc/self/fd`
/// (proc_pid_fd(5)).
public struct ContainedFolder: Sendable, Equatable {
    /// The path of the folder. A relative path is relative to the working directory.
    public let path: String
    /// Whether files and folders whose names begin with a full stop can be opened.
    public let opensHidden: Bool

    /// Creates a value without looking at the file system. The folder need not exist before a file is opened.
    public init(path: String, opensHidden: Bool = true) {
        self.path = path
        self.opensHidden = opensHidden
    }

    /// Opens a regular file for reading; a FIFO is refused without blocking.
    ///
    /// Needs three descriptors for a moment.
    ///
    /// - Parameter name: a path relative to the folder. It may lead through subfolders and symbolic links, as long as
    ///   the file is in the folder.
    public func open(_ name: String) throws(ContainmentError) -> OpenFile {
        try check(name)
        let folder = try Handle(path: path, at: AT_FDCWD, flags: O_DIRECTORY)
        let found = try Handle(path: name, at: folder.descriptor, flags: 0)
        guard let place = try found.path(below: folder) else { throw .outside }
        guard opensHidden || !Self.isHidden(place) else { throw .hidden }
        guard try found.status().st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        return try found.reopened()
    }

    /// Whether a part of a path begins with a full stop.
    private static func isHidden(_ path: ArraySlice<UInt8>) -> Bool {
        path.split(separator: UInt8(ascii: "/")).contains { $0.first == UInt8(ascii: ".") }
    }

    /// Throws for a name that is malformed, absolute or hidden, or that leads to the folder itself or out of it.
    private func check(_ name: String) throws(ContainmentError) {
        guard !name.isEmpty, !name.utf8.contains(0) else { throw .malformedName }
        guard !name.isAbsolutePath else { throw .absolute }
        var depth = 0
        for part in name.pathNames where part != "." {
            depth += part == ".." ? -1 : 1
            guard depth >= 0 else { throw .outside }
            guard opensHidden || part.utf8.first != UInt8(ascii: ".") else { throw .hidden }
        }
        guard depth > 0 else { throw .notRegular }
    }
}

/// An open folder. The names in it can be used even if its path leads elsewhere meanwhile.
public struct OpenFolder: ~Copyable, Sendable {
    /// The descriptor, open for reading; `deinit` closes it.
    public let descriptor: Int32

    /// Opens a folder for reading. A symbolic link that has replaced a folder of the path is not followed.
    ///
    /// - Parameter path: an absolute path without symbolic links.
    /// - Throws: `ContainmentError.missing` or `.unreadable`.
    public init(path: String) throws(ContainmentError) {
        guard path.isAbsolutePath else { throw .missing }
        var folder = try Handle(path: "/", at: AT_FDCWD, flags: O_DIRECTORY)
        for name in path.pathNames {
            folder = try Handle(path: String(name), at: folder.descriptor, flags: O_DIRECTORY | O_NOFOLLOW)
        }
        let opened = unsafe openat(folder.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .unreadable(errno) }
        descriptor = opened
    }

    deinit { _ = close(descriptor) }
}

/// A file or folder that is held open, but not for reading (`O_PATH`, open(2)).
private struct Handle: ~Copyable {
    let descriptor: Int32

    /// The value of `O_PATH`. Glibc's module lacks the constant, because the constant requires `_GNU_SOURCE`.
    private static let pathOnly: Int32 = 0o10000000

    init(path: String, at folder: Int32, flags: Int32) throws(ContainmentError) {
        descriptor = unsafe openat(folder, path, Self.pathOnly | O_CLOEXEC | flags)
        let code = errno
        switch descriptor >= 0 ? 0 : code {
        case 0: return
        case ENOENT, ENOTDIR: throw .missing
        default: throw .unreadable(code)
        }
    }

    deinit { _ = close(descriptor) }

    /// Returns the path without symbolic links; nil if the file was removed.
    private func realPath() throws(ContainmentError) -> [UInt8]? {
        try status().st_nlink > 0 ? OpenFile.realPath(of: descriptor) : nil
    }

    /// Returns the path without symbolic links, relative to a folder; nil if the file is not below the folder.
    ///
    /// - Throws: `missing` if the file or the folder was removed.
    func path(below folder: borrowing Handle) throws(ContainmentError) -> ArraySlice<UInt8>? {
        guard var prefix = try folder.realPath(), let path = try realPath() else { throw .missing }
        if prefix.last != UInt8(ascii: "/") { prefix.append(UInt8(ascii: "/")) }
        return path.starts(with: prefix) ? path.dropFirst(prefix.count) : nil
    }

    func status() throws(ContainmentError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
        return status
    }

    /// Opens the same file for reading.
    func reopened() throws(ContainmentError) -> OpenFile {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let opened = unsafe Glibc.open(OpenFile.link(descriptor), flags)
        guard opened >= 0 else { throw .unreadable(errno) }
        var file = OpenFile(descriptor: opened)
        guard unsafe fstat(opened, &file.status) == 0 else { throw .unreadable(errno) }
        return file
    }
}

/// An open file, closed at the end of this value's lifetime.
public struct OpenFile: ~Copyable, Sendable {
    /// The descriptor, open for reading; `deinit` closes it.
    public let descriptor: Int32
    /// The file's state when it was opened (`fstat(2)`).
    public fileprivate(set) var status = stat()

    fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = close(descriptor) }

    /// Returns the descriptor without closing it; the caller must close it.
    public consuming func release() -> Int32 {
        let released = descriptor
        discard self
        return released
    }
}

extension OpenFile {
    /// Returns the path of the file without symbolic links, as the kernel shows it (`/proc/self/fd`, proc_pid_fd(5)).
    public func realPath() throws(ContainmentError) -> String {
        String(decoding: try Self.realPath(of: descriptor), as: UTF8.self)
    }

    fileprivate static func realPath(of descriptor: Int32) throws(ContainmentError) -> [UInt8] {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlink(link(descriptor), &bytes, bytes.count)
        guard count >= 0 else { throw .unreadable(errno) }
        // `readlink` truncates a path that does not fit, without an error.
        guard count < bytes.count else { throw .unreadable(ENAMETOOLONG) }
        return bytes.prefix(count).map(UInt8.init(bitPattern:))
    }

    fileprivate static func link(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }
}

/// The reason why a file of a folder is not opened.
public enum ContainmentError: Error, Sendable, Equatable {
    /// The name is empty, or contains a NUL byte.
    case malformedName
    /// The name is an absolute path.
    case absolute
    /// The name leads out of the folder, by `..` or through a symbolic link.
    case outside
    /// A part of the name, or a part of the path that its links lead to, begins with a full stop. The folder does not
    /// open hidden files.
    case hidden
    /// The file does not exist.
    case missing
    /// The name leads to a folder, a device, a FIFO or a socket.
    case notRegular
    /// The folder or the file cannot be opened. The value is the error number of `open(2)`.
    case unreadable(Int32)
}

/// Paths as the system parses them: a `/` separates names even if a combining character follows, although the two form
/// one `Character`.
extension String {
    /// The names in the path, without empty names.
    public var pathNames: [Substring] { unicodeScalars.split(separator: "/").map(Substring.init) }

    /// Whether the path begins with a `/`.
    public var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// The last `/` of the path; nil for a name alone.
    public var lastSlash: Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }
}
