import Foundation
import Locking

@testable import DatabaseTrees

/// A PostgreSQL server in a temporary folder, which listens on a Unix socket there; gone with its last reference, or with
/// the process.
final class PostgresServer: Sendable {
    /// One for all tests that do not crash it.
    static let shared = Result { try PostgresServer() }

    struct Failure: Error { let output: String }

    private let folder: String
    private static let running = Guarded<Set<String>>([])

    /// - Parameter primary: the server whose standby it is; nil for one of its own.
    init(standbyOf primary: PostgresServer? = nil) throws {
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
        if primary == nil { try connection("postgres").run("CREATE DATABASE trees") }
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
    /// Foundation's `Process` waits until the descriptors that a program has inherited are closed, and those of `pg_ctl` stay
    /// open in the server.
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

    // MARK: Trees

    /// The address of a tree, with the parameters behind it.
    func address(_ tree: String, _ more: String = "") throws -> PostgresAddress {
        try PostgresAddress("postgres://drilldown@/trees?host=\(folder)&tree=\(tree)\(more)")
    }

    /// The address of a tree on this server and on another.
    func address(_ tree: String, _ more: String, with other: PostgresServer) throws -> PostgresAddress {
        try PostgresAddress("postgres://drilldown@/trees?host=\(folder),\(other.folder)&tree=\(tree)\(more)")
    }

    func tree(_ name: String, role: String = "drilldown") throws -> PostgresTree {
        PostgresTree(try PostgresAddress("postgres://\(role)@/trees?host=\(folder)&tree=\(name)"))
    }

    /// A connection of another program.
    func connection(_ database: String = "trees") throws -> PostgresConnection {
        try PostgresConnection([("host", folder), ("user", "drilldown"), ("dbname", database)])
    }

    /// Creates a tree with a root and these titles below it, whose ids count from 1.
    @discardableResult
    func makeTree(_ name: String, _ titles: [String], keys: String? = nil, replaces: Bool = false) throws
        -> PostgresTree
    {
        let tree = try tree(name)
        let writer = try tree.beginImport(keys: keys, replaces: replaces)
        try writer.add(.root, #"{"Title":"Root","Rows":null}"#)
        for (index, title) in titles.enumerated() {
            try writer.add(
                .init(id: Int64(index) + 1, parent: 0, section: 0, position: Int64(index) << 32), "\"\(title)\"")
        }
        try writer.finish()
        return tree
    }

    /// Kills one process of the server as `kill -9` does, after which the server starts all of them again.
    func killProcess(_ number: Int32) { kill(number, SIGKILL) }
}

extension TreeImport {
    func add(_ place: ItemPlace, _ fields: String) throws {
        let bytes = Array(fields.utf8)
        try add(place, fields: bytes.span)
    }
}

extension ItemPlace {
    static var root: Self { ItemPlace(id: 0, parent: nil, section: 0, position: 0) }
}

extension PostgresTree {
    /// All rows, by their ids.
    func rows() throws -> [Int64: ItemRow] {
        var rows: [Int64: ItemRow] = [:]
        _ = try readItems { place, fields in
            let bytes = unsafe fields.withUnsafeBufferPointer { unsafe Array($0) }
            rows[place.id] = ItemRow(place: place, fields: bytes)
        }
        return rows
    }

    /// The texts of `fields` in the order of ids.
    func texts() throws -> [String] {
        try rows().sorted { $0.key < $1.key }.map { String(decoding: $0.value.fields, as: UTF8.self) }
    }

    func revisions(after number: Int64) throws -> [LoggedRevision]? {
        var last = try head()
        (last.revision, last.mark) = (number, nil)
        return try revisions(after: last)
    }
}

extension PostgresConnection {
    /// The first column of a query as text.
    func column(_ query: String) throws -> [String] {
        let result = try self.query(PostgresStatement(query))
        return (0..<result.count).map { result.text($0, 0) ?? "NULL" }
    }
}

extension RevisionWrite {
    init(_ writes: ItemWrite..., author: String? = nil) {
        self.init(author: author, mark: RandomNames.mark(), writes: writes)
    }
}

extension ItemRow {
    init(_ id: Int64, below parent: Int64? = 0, at position: Int64 = 0, _ fields: String) {
        self.init(place: .init(id: id, parent: parent, section: 0, position: position), fields: Array(fields.utf8))
    }
}
