import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

/// Paths that would lead to another item if they were sent.
@Suite struct ImpossiblePathTests {
    private let origin: StubOrigin
    private let server: Server

    init() throws {
        origin = try StubOrigin { _ in StubOrigin.Answer.json(StubOrigin.Answer.level) }
        server = try Server(origin(""), editToken: "editor")
    }

    private func refused(_ key: String, _ body: () async throws -> Void) async throws {
        let found = try await problem(body)
        #expect(found?.kind == .badPath && found?.members["key"]?.text == key)
        #expect(
            found.map { "\($0)" } == "A path contains the key '\(key)', which no item can have; nothing was sent.")
        #expect(origin.requests.isEmpty)
    }

    @Test(arguments: ["", ".", ".."])
    func `nothing is sent for a key that no item can have`(key: String) async throws {
        for path in [["Music"] / key, [key], ["Music", key, "Old"]] as [ItemPath] {
            try await refused(key) { _ = try await server.level(at: path) }
            try await refused(key) { _ = try await server.wholeLevel(at: path) }
            try await refused(key) { _ = try await server.detail(at: path) }
            try await refused(key) { _ = try await server.document(at: path) }
            try await refused(key) { for try await _ in server.rows(at: path) {} }
            try await refused(key) { for try await _ in server.updates(of: path) {} }
            try await refused(key) { for try await _ in server.updates(ofDetail: path) {} }
            try await refused(key) { try await server.delete(path) }
            try await refused(key) { try await server.put(["Title": "x"], at: path) }
            try await refused(key) { try await server.patch(["Title": "x"], at: path) }
            try await refused(key) { try await server.setValue(true, of: path) }
            try await refused(key) { try await server.insert("x", into: path) }
            try await refused(key) { try await server.move(path, into: .root) }
            try await refused(key) { try await server.move(["Music"], into: path) }
            try await refused(key) { try await server.perform([.delete(["Old"]), .delete(path)]) }
        }
    }

    @Test func `nothing is sent for a file outside the assets`() async throws {
        for (name, key) in [("../detail", ".."), ("a/./b", "."), ("", ""), ("/", "/")] {
            try await refused(key) { _ = try await server.imageData(named: name) }
            #expect(server.imageURL(named: name) == nil)
        }
        #expect(server.imageURL(named: "a b.svg")?.absoluteString == origin("") + "/assets/a%20b.svg")
        #expect(server.imageURL(named: "https://h/a%20b.svg")?.absoluteString == "https://h/a%20b.svg")
        #expect(try await server.imageData(for: Row(key: "a")) == nil)
    }

    @Test func `only an HTTP address is asked`() async throws {
        #expect(try await problem { try Server("http:///levels/") }?.kind == .badAddress)
        let file = try #require(URL(string: "file:///etc"))
        #expect(
            try await problem { try await Server(file).level() }?.detail
                == "'file:///etc' is not the address of a service; write it as http://127.0.0.1:8080.")
    }
}
