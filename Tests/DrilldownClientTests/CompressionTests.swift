import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

@Suite struct CompressionTests {
    @Test func `a level that comes compressed from the service is read`() async throws {
        let folder = try ScratchFolder()
        let titles = (0..<5_000).map { "Row \($0)" }
        let document = try folder.write("Long.json", "[\"" + titles.joined(separator: "\",\"") + "\"]")
        let running = try RunningServer(document)
        let server = try running.client()
        let target = "/levels/?limit=5000"
        let before = try await Self.bytes(server)
        let level = try await server.transport.level(of: target)
        let sent = try await Self.bytes(server) - before
        #expect(level.rows.map(\.title) == titles)
        let uncompressed = level.rows.count * 100
        #expect(sent > 1_000 && sent < uncompressed / 4)
        // Each content coding has a tag of its own.
        let tag = try #require(server.transport.memory[target]?.tag)
        #expect(tag == "\"\(level.version)-gzip\"" || tag == "\"\(level.version)-br\"")
        #expect(try await server.transport.level(of: target) == level)
        #expect(try await Self.bytes(server) == before + sent)
    }

    /// How many bytes of levels the service has sent.
    private static func bytes(_ server: Server) async throws -> Int {
        let metrics = String(decoding: try await server.transport.send(Request("/metrics")).body, as: UTF8.self)
        let pattern = /drilldown_http_response_body_bytes_total\{[^}]*levels[^}]*\} (\d+)/
        return metrics.matches(of: pattern).compactMap { Int($0.1) }.reduce(0, +)
    }
}
