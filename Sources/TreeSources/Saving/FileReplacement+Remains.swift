internal import Files
internal import Glibc
internal import Levels

/// The other file of an edited document, and what a killed process leaves of it.
extension FileReplacement {
    /// The path through which an edited file is replaced: a hidden name in the same folder, always the same for one path.
    ///
    /// Without the ending, the name is the file's own, or as much of it as a name can hold (`NAME_MAX`), and a hash.
    static func editPath(of path: String) -> String {
        let name = path.lastSlash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
        return (path.lastSlash == nil ? "" : folder(of: path)) + "." + shortened(name) + editEnding
    }

    private static let editEnding = ".drilldown-edit"
    /// The longest name that every usual file system takes, in bytes.
    private static let longestName = 255

    private static func shortened(_ name: Substring) -> String {
        let room = longestName - 1 - editEnding.utf8.count
        guard name.utf8.count > room else { return String(name) }
        let hash = String(ContentHash.short(of: Array(name.utf8).span), radix: 36)
        var start = Substring(name)
        while start.utf8.count > room - hash.utf8.count - 1 { start.removeLast() }
        return "\(start)~\(hash)"
    }

    /// Removes what a killed process left beside a document that it was saving.
    static func removeRemains(ofEdited path: String) {
        guard let target = RealPath.existing(path) else { return }
        removeRemains(at: editPath(of: target))
    }

    /// Removes the other file that a killed process left, if there is one.
    ///
    /// - Returns: 0; -1 with its `errno` if it cannot be removed, which is `EWOULDBLOCK` if a living process is writing it.
    @discardableResult
    static func removeRemains(at aside: String) -> Int32 {
        let opened = unsafe open(aside, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return errno == ENOENT ? 0 : -1 }
        var isRemoved = flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
        // If it lost its name meanwhile, another process has removed or renamed it.
        if isRemoved, isStill(opened, at: aside) { isRemoved = unsafe unlink(aside) == 0 }
        let code = errno
        _ = close(opened)
        errno = code
        return isRemoved ? 0 : -1
    }

    /// Locks a file; whether it was not locked by another process and still has its name.
    static func isFree(_ opened: Int32, at aside: String) -> Bool {
        // A file system without locks fails with another error number.
        (flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && isStill(opened, at: aside)
    }
}
