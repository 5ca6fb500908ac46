internal import CFiles
internal import Files
internal import Glibc

extension Fingerprint {
    /// Creates the fingerprint of a source that is one file.
    init(_ file: FileIdentity) {
        self.init([
            file.device, file.inode, UInt64(bitPattern: Int64(file.size)), UInt64(bitPattern: file.modified),
            UInt64(bitPattern: file.changed), UInt64(file.mode),
        ])
    }
}

extension String {
    /// The folder of the path; `.` for a path that is only a name.
    var folder: String {
        guard let slash = lastSlash else { return "." }
        return slash == utf8.startIndex ? "/" : String(self[..<slash])
    }

    /// The part of the path after the last slash.
    var lastName: String { lastSlash.map { String(self[utf8.index(after: $0)...]) } ?? self }
}

/// Paths without symbolic links, `.` and `..` (`realpath(3)`).
enum RealPath {
    /// The resolved path; the path itself if it cannot be resolved.
    static func of(_ path: String) -> String { existing(path) ?? path }

    /// The path of a file that need not exist, in its resolved folder.
    static func ofNew(_ path: String) -> String { "\(of(path.folder))/\(path.lastName)" }

    /// The resolved path; nil if it cannot be resolved.
    static func existing(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

/// Finds out whether a file is open for writing anywhere on the machine (`F_SETLEASE`, fcntl(2)).
enum FileLease {
    /// Whether a program has the file of a descriptor open for writing; false if the system does not report it.
    ///
    /// The system grants a lease for reading only if no program has the file open for writing. A granted lease is
    /// released at once. Only the owner of the file can ask for a lease, and not every file system grants leases.
    static func isBeingWritten(_ descriptor: Int32) -> Bool {
        // If a program opens the file while this process holds the lease, the system sends a signal. The default
        // signal, SIGIO, would end the process.
        guard setSignal(descriptor) == 0 else { return false }
        guard fcntl(descriptor, F_SETLEASE, Int32(F_RDLCK)) == 0 else { return errno == EAGAIN }
        _ = fcntl(descriptor, F_SETLEASE, Int32(F_UNLCK))
        return false
    }

    /// Whether a program has the file at a path open for writing; false if the file cannot be opened.
    static func isBeingWritten(path: String) -> Bool {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard opened >= 0 else { return false }
        defer { _ = close(opened) }
        return isBeingWritten(opened)
    }

    /// Makes the system send a signal that processes ignore by default, in place of SIGIO.
    private static func setSignal(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_SETSIG, SIGURG) }
}
