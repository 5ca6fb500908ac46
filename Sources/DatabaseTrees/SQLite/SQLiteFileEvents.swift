internal import CSQLite
internal import Files
package import Threads
internal import TreeSources

/// Decides when to look for commits of other programs to a SQLite file: after an event in the file's folder, and every
/// few seconds.
package final class SQLiteFileEvents {
    private let file: String
    private var inotify = Inotify()
    /// The times of the next looks at the file after an event. There are several looks, because a commit becomes
    /// visible only some time after the file is written.
    private var looks: [ContinuousClock.Instant] = []
    private var nextPoll: ContinuousClock.Instant = .now

    private static let pollInterval = Duration.seconds(5)
    /// The times from an event to each look at the file, in milliseconds. The disk decides how soon a commit is
    /// visible.
    private static let delays = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]

    package init(path: String) {
        let slash = path.lastIndex(of: "/")
        file = String(slash.map { path[path.index(after: $0)...] } ?? path[...])
        _ = inotify.watch(slash.map { String(path[...$0]) } ?? ".", for: [.names, .content, .itself])
    }

    package func addWaits(to waits: inout WaitSet) {
        waits.add(inotify.descriptor)
        waits.wake(by: looks.first.map { min($0, nextPoll) } ?? nextPoll)
    }

    /// Whether it is time to look at the file. Does not block.
    package func isLookDue(at now: ContinuousClock.Instant) -> Bool {
        let hasEvents = inotify.takeEvents().contains { $0.name.map { $0.hasPrefix(file) } ?? true }
        if hasEvents {
            // Of the looks planned so far, the earliest and the last stay.
            let new = Self.delays.map { now + .milliseconds($0) }
            looks = (looks.prefix(1) + new + looks.dropFirst().suffix(1)).sorted()
        }
        guard now >= nextPoll || looks.first.map({ now >= $0 }) ?? false else { return false }
        if now >= nextPoll { nextPoll = now + Self.pollInterval }
        looks.removeAll { now >= $0 }
        return true
    }

    /// Schedules one more look at the file, for example because a lock was held.
    package func lookAgain(at moment: ContinuousClock.Instant) { looks.append(moment) }
}

/// The files of a SQLite database at one moment: the database, its write-ahead log, and the index of the log.
///
/// SQLite opens the files by their names. A file that is removed later lasts only as long as a program has it open.
struct SQLiteFiles {
    /// The files in this order; nil for a missing file.
    private let all: [FileIdentity?]

    init(path: String) { all = ["", "-wal", "-shm"].map { FileIdentity(path: path + $0) } }

    var database: FileIdentity? { all[0] }
    var hasLog: Bool { !all.contains(nil) }

    func areSame(as earlier: SQLiteFiles) -> Bool { all.indices.allSatisfy { isSame($0, as: earlier) } }

    private func isSame(_ number: Int, as earlier: SQLiteFiles) -> Bool {
        (all[number]?.device, all[number]?.inode) == (earlier.all[number]?.device, earlier.all[number]?.inode)
    }

    /// Whether the database has not changed since, and the log or its index is missing, but not replaced.
    func lackOnlyLog(of earlier: SQLiteFiles) -> Bool {
        guard let database, let old = earlier.database, database.isSameContent(as: old) else { return false }
        return all.indices.allSatisfy { all[$0] == nil || isSame($0, as: earlier) }
    }

    /// Whether the log is that of an earlier database, which was removed or replaced.
    func haveOnlyLog(of earlier: SQLiteFiles) -> Bool {
        !isSame(0, as: earlier) && all[1] != nil && isSame(1, as: earlier)
    }
}

extension SQLiteConnection {
    /// Writes the whole log to the database. Returns false if that fails.
    var emptiesLog: Bool {
        do throws(DatabaseError) {
            let counts = try first("PRAGMA wal_checkpoint(FULL)") ?? []
            return counts.first == .integer(0) && counts[1] == counts[2]
        } catch {
            return false
        }
    }

    /// From now on, closing the connection changes no file.
    func leaveLog() { _ = unsafe shim_leave_log(handle) }
}
