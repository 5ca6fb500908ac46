internal import CFiles
internal import Files
internal import Glibc

extension Fingerprint {
    /// The state of a source that is one file; it resembles another if it is the same file with the same size.
    init(_ file: FileIdentity) {
        self.init(
            outline: [file.device, file.inode, UInt64(bitPattern: Int64(file.size))],
            details: [UInt64(bitPattern: file.modified), UInt64(bitPattern: file.changed), UInt64(file.mode)])
    }
}

extension String {
    /// The folder of the path; `.` for a name alone.
    var folder: String {
        guard let slash = lastSlash else { return "." }
        return slash == utf8.startIndex ? "/" : String(self[..<slash])
    }
}

/// Paths without symbolic links, `.` and `..` (`realpath(3)`).
enum RealPath {
    /// The path of what a path leads to; the same path if there is nothing.
    static func of(_ path: String) -> String { existing(path) ?? path }

    /// The path of what a path leads to; nil if there is nothing.
    static func existing(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

/// Tells whether a file is open for writing anywhere on the machine (`F_SETLEASE`, fcntl(2)).
enum FileLease {
    /// Whether some program has an open file open for writing; false if the system does not tell.
    ///
    /// A lease for reading is granted only if nobody has. It is given back at once. The system tells only the owner of
    /// the file, and not on every file system.
    static func isBeingWritten(_ descriptor: Int32) -> Bool {
        // A program that opens the file just now must not end this process: by default the system sends SIGIO then.
        guard setSignal(descriptor) == 0 else { return false }
        guard fcntl(descriptor, F_SETLEASE, Int32(F_RDLCK)) == 0 else { return errno == EAGAIN }
        _ = fcntl(descriptor, F_SETLEASE, Int32(F_UNLCK))
        return false
    }

    /// Whether some program has the file at a path open for writing; false if it cannot be opened.
    static func isBeingWritten(path: String) -> Bool {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard opened >= 0 else { return false }
        defer { _ = close(opened) }
        return isBeingWritten(opened)
    }

    /// Has the system send a signal that is ignored unless a program asks for it.
    private static func setSignal(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_SETSIG, SIGURG) }
}
