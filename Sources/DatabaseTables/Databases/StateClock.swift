internal import DatabaseTrees
internal import Files
internal import Locking

/// Numbers the states of a SQLite file for all connections.
///
/// Each connection numbers the states in its own way (`PRAGMA data_version`): the number changes when another
/// connection has committed. The clock watches the file through a connection of its own, and numbers the states for all
/// other connections. If the clock returns the same number before and after another connection begins to read, that
/// connection reads the state with this number.
final class StateClock: Sendable {
    private struct Look {
        let connection: SQLiteConnection
        let identity: FileIdentity
        var version: DatabaseValue
    }

    private struct Looks {
        var last: Look?
        var number: Int64 = 0
    }

    private let path: String
    private let looks = Guarded(Looks())

    init(path: String) { self.path = path }

    /// Returns the number of the present state of a file. Returns nil if the file cannot be read now, or if the clock
    /// must open the file and the path leads to another file.
    func number(of identity: FileIdentity) -> Int64? {
        looks.withLock { looks in
            do throws(DatabaseError) {
                if var look = looks.last, look.identity.isSameFile(as: identity) {
                    let version = try Self.version(look.connection)
                    if version != look.version { looks.number += 1 }
                    look.version = version
                    looks.last = look
                    return looks.number
                }
                looks.last = nil
                let connection = try SQLiteConnection(path: path, for: .read)
                connection.setBusyTimeout(.zero)
                let version = try Self.version(connection)
                guard FileIdentity(path: path)?.isSameFile(as: identity) ?? false else { return nil }
                looks.last = Look(connection: connection, identity: identity, version: version)
                looks.number += 1
                return looks.number
            } catch {
                return nil
            }
        }
    }

    private static func version(_ connection: SQLiteConnection) throws(DatabaseError) -> DatabaseValue {
        try connection.first("PRAGMA data_version")?[0] ?? .null
    }
}
