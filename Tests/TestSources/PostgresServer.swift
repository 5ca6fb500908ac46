import Foundation
import Locking

/// A PostgreSQL server in a temporary folder, which listens on a Unix socket there; gone with its last reference, or with
/// the process.
public final class PostgresServer: Sendable {
    /// One for all tests that do not crash it.
    public static let shared = Result { try PostgresServer() }

    public struct Failure: Error {
        let output: String

        public init(output: String) { self.output = output }
    }

    /// The folder of its socket.
    public let folder: String
    private static let running = Guarded<Set<String>>([])

    /// - Parameter primary: the server whose standby it is; nil for one of its own.
    public init(standbyOf primary: PostgresServer? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("drilldown-pg-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // PostgreSQL refuses to run as root.
        if getuid() == 0 { try Self.run("/bin/chown", "postgres", folder) }
        if let primary {
            try run(
                "pg_basebackup", "-D", data, "-h", primary.folder, "-U", "drilldown", "-R", "-X", "stream", "-c", "fast"
            )
        } else {
            try run("initdb", "-D", data, "-U", "drilldown", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        }
        try start()
        Self.running.withLock { _ = $0.insert(folder) }
        atexit { PostgresServer.stopAll() }
        if primary == nil { try run("createdb", "-h", folder, "-U", "drilldown", "trees") }
    }

    deinit { stop() }

    private var data: String { folder + "/data" }

    private func start() throws {
        // Without flushing: these tests do not cut the power.
        let options = "-k \(folder) -c listen_addresses= -c fsync=off -c shared_buffers=16MB -c max_connections=60"
        try run("pg_ctl", "start", "-w", "-D", data, "-l", folder + "/log", "-o", options)
    }

    private func stop() {
        let isRunning = Self.running.withLock { $0.remove(folder) != nil }
        guard isRunning else { return }
        Self.stop(folder)
    }

    private static func stopAll() {
        let folders = running.withLock { folders in
            defer { folders = [] }
            return Array(folders)
        }
        for folder in folders { stop(folder) }
    }

    /// A server that cannot be stopped notices that its folder is gone, and ends by itself.
    private static func stop(_ folder: String) {
        do {
            try run(tool("pg_ctl"), "stop", "-w", "-m", "immediate", "-D", folder + "/data")
        } catch {
            print(error)
        }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            print(error)
        }
    }

    // MARK: Programs

    private static func tool(_ name: String) -> String {
        let versions = (FileManager.default.subpaths(atPath: "/usr/lib/postgresql") ?? [])
            .filter { $0.hasSuffix("/bin/\(name)") }
        return "/usr/lib/postgresql/" + (versions.max() ?? "none/bin/\(name)")
    }

    private func run(_ name: String, _ arguments: String...) throws { try Self.run([Self.tool(name)] + arguments) }

    private static func run(_ command: String...) throws { try run(command) }

    /// Runs a program to its end.
    ///
    /// Foundation's `Process` waits until inherited descriptors are closed, and `pg_ctl` leaves them open in the server.
    private static func run(_ command: [String]) throws {
        let isServers = command[0].hasPrefix("/usr/lib/postgresql") && getuid() == 0
        let user = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        let words = (isServers ? user : []) + command
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var (program, status): (pid_t, Int32) = (0, 0)
        guard unsafe posix_spawn(&program, words[0], &actions, nil, arguments, environ) == 0 else {
            throw Failure(output: words[0])
        }
        while unsafe waitpid(program, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw Failure(output: words.joined(separator: " ")) }
    }

    /// Kills one process of the server as `kill -9` does, after which the server starts all of them again.
    public func killProcess(_ number: Int32) { kill(number, SIGKILL) }
}
