import Foundation

@testable import DrilldownClient
@testable import TestSupport

/// A document that a service serves, and that changes while clients observe it.
final class ObservedDocument: Sendable {
    private let folder: ScratchFolder
    let path: String

    init(_ titles: [String] = ["Ann", "Ben", "Cleo"]) throws {
        folder = try ScratchFolder()
        path = folder("Document.json")
        try save(titles)
    }

    /// Saves a level of leaves.
    func save(_ titles: [String]) throws { try save(titles.map { ["Title": $0] }) }

    func save(_ items: [[String: Any]]) throws {
        try folder.write("Document.new", JSONSerialization.data(withJSONObject: items))
        try folder.rename("Document.new", "Document.json")
    }

    func cacheFolder() -> URL { URL(fileURLWithPath: folder("cache")) }
}

extension LevelUpdates.Iterator {
    /// The next update that satisfies a condition.
    mutating func next(where condition: (LevelUpdate) -> Bool) async throws -> LevelUpdate? {
        while let update = try await next() {
            if condition(update) { return update }
        }
        return nil
    }

    /// The next update whose rows have these titles.
    mutating func next(showing titles: [String]) async throws -> LevelUpdate? {
        try await next { $0.level?.rows.map(\.title) == titles && $0.isCurrent }
    }
}

extension RunningServer {
    /// The number of requests that wait for a change.
    func waiting() async throws -> Int {
        let server = try client()
        let metrics = try await server.transport.send(Request("/metrics")).body
        let text = String(decoding: metrics, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("drilldown_waiting_requests ") }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? -1
    }

    /// Asks until a number of requests wait.
    func becomes(waiting count: Int) async throws {
        while try await waiting() != count { await Task.yield() }
    }
}
