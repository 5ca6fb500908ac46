import DrilldownClient
import Foundation

/// The service as a process of its own, serving a document on a free port; it ends with the test.
final class RunningServer: Sendable {
    let address: String
    let process: Process

    /// Starts the program that was built beside the tests, and waits until it serves.
    ///
    /// - Parameters:
    ///   - document: the path of the document.
    ///   - options: further options of `drilldown serve`.
    ///   - environment: variables in addition to the tests' own.
    init(_ document: String, _ options: [String] = [], port: Int = 0, environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("drilldown")
        process.arguments = ["serve", document, "--listen", "127.0.0.1:\(port)"] + options
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var text = ""
        var address: Substring?
        while address == nil {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw Failure(text) }
            text += String(decoding: piece, as: UTF8.self)
            address = text.firstMatch(of: /serving .* at (http:.*)\/\n/)?.1
        }
        self.address = address.map(String.init) ?? ""
        // Its log must never fill the pipe.
        output.fileHandleForReading.readabilityHandler = { if $0.availableData.isEmpty { $0.readabilityHandler = nil } }
    }

    deinit { stop() }

    /// Ends the process, and waits until it is gone.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    func client(readToken: String? = nil) throws -> Server { try Server(address, readToken: readToken) }

    /// The message of a server that does not start.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The documents that come with the service.
    static let documents = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Data")

    static func document(_ name: String) -> String { documents.appendingPathComponent(name).path }
}
