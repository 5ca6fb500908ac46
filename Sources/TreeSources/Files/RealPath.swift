internal import Glibc

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
