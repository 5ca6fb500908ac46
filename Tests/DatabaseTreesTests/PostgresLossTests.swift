import Foundation
import Testing

@testable import DatabaseTrees
@testable import TestSupport

@Suite("An answer that libpq does not understand")
struct PostgresLossTests {
    /// A server that answers each message of its only client with the next bytes.
    private struct ScriptedServer {
        let folder: ScratchFolder

        init(_ answers: [[UInt8]]) throws {
            let folder = try ScratchFolder()
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            // The name that libpq expects in the folder, for the port 1.
            let path = folder.path + "/.s.PGSQL.1"
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            let isListening = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                    unsafe bind(listener, general, socklen_t(MemoryLayout<sockaddr_un>.size)) | listen(listener, 1)
                }
            }
            guard isListening == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            self.folder = folder
            Thread.detachNewThread {
                let client = accept(listener, nil, nil)
                var message = [UInt8](repeating: 0, count: 4_096)
                for answer in answers {
                    guard unsafe read(client, &message, message.count) > 0 else { break }
                    unsafe send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
                }
                // Until the client goes.
                while unsafe read(client, &message, message.count) > 0 {}
                close(client)
                close(listener)
            }
        }
    }

    /// A message of the protocol: its type, its length, and its content.
    private static func message(_ type: Character, _ content: [UInt8]) -> [UInt8] {
        [type.asciiValue ?? 0, 0, 0, 0, UInt8(4 + content.count)] + content
    }

    private static let isAuthenticated = message("R", [0, 0, 0, 0])
    private static let isReady = message("Z", Array("I".utf8))

    private func failure(ofError fields: [String]) throws -> (PostgresFailure?, isLost: Bool) {
        let content: [UInt8] = fields.flatMap { (field: String) -> [UInt8] in Array(field.utf8) + [0] } + [0]
        return try failure(of: Self.message("E", content))
    }

    private func failure(of answer: [UInt8]) throws -> (PostgresFailure?, isLost: Bool) {
        let server = try ScriptedServer([Self.isAuthenticated + Self.isReady, answer + Self.isReady])
        let connection = try PostgresConnection([
            ("host", server.folder.path), ("port", "1"), ("user", "a"), ("dbname", "a"),
        ])
        let failure = #expect(throws: PostgresFailure.self) { try connection.run("COMMIT") }
        return (failure, connection.isLost)
    }

    @Test("leaves the outcome unknown, unlike an error of the server")
    func lost() throws {
        let refusal = try failure(ofError: ["SERROR", "C23505", "MThe key exists."])
        #expect(refusal.0 == PostgresFailure(state: "23505", message: "The key exists", constraint: nil, isLost: false))
        #expect(!refusal.isLost)
        // An error without a code, and no result.
        for unknown in [try failure(ofError: ["SERROR", "MThe key exists."]), try failure(of: [])] {
            #expect(unknown.0 == .lost)
            #expect(unknown.isLost)
        }
    }
}
