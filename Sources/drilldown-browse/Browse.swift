import DrilldownClient
import Foundation

/// The terminal client, which `drilldown browse` executes.
@main
enum Browse {
    static func main() async {
        do {
            exit(try await run(BrowseArguments(Array(CommandLine.arguments.dropFirst()))))
        } catch {
            complain(sentence(for: error))
            exit((error as? Failure)?.status ?? 1)
        }
    }

    /// - Returns: the exit status.
    private static func run(_ arguments: BrowseArguments) async throws -> Int32 {
        if arguments.wantsHelp {
            try StandardOutput.put(BrowseArguments.help)
            return 0
        }
        if arguments.wantsVersion {
            try StandardOutput.put(BrowseArguments.version)
            return 0
        }
        let start = try StartAddress(arguments.url)
        let server = try Server(
            start.server, readToken: try arguments.tokenFile.map(TokenFile.token),
            cacheFolder: arguments.cacheFolder.map { URL(fileURLWithPath: $0, isDirectory: true) })
        let terminal = ProcessInfo.processInfo.environment["TERM"]
        if arguments.printsLines || arguments.follows || !TerminalModes.isTerminal(named: terminal) {
            try await LineListing(server: server, address: start.server).print(start.place, follows: arguments.follows)
            return 0
        }
        var session = Session(server, at: start)
        return try await session.run()
    }

    /// The reason for a failure. If the server wants another token, the sentence names the option.
    static func sentence(for error: any Error) -> String {
        let needsToken = [.unauthorized, .wrongToken].contains((error as? Problem)?.kind)
        return needsToken ? "\(error) Name a file with the token: --token-file FILE." : "\(error)"
    }

    /// Writes a complaint to standard error.
    static func complain(_ sentence: String) {
        FileHandle.standardError.write(Data("drilldown browse: \(DisplayText(sentence))\n".utf8))
    }
}

/// The reason why the program ends, as a sentence.
struct Failure: Error, Equatable, CustomStringConvertible {
    let description: String
    /// The exit status: 2 for an invalid command line.
    let status: Int32

    init(_ description: String, status: Int32 = 1) { (self.description, self.status) = (description, status) }
}

/// A file of tokens, in the form of the service's own token files: one token per line, with an optional name before it.
enum TokenFile {
    /// Returns the first token of a file.
    ///
    /// - Throws: `Failure` if the file is unreadable or lacks a token.
    static func token(in path: String) throws(Failure) -> String {
        let text: String
        do {
            text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        } catch {
            throw Failure("The token file '\(DisplayText(path))' cannot be read: \(error.localizedDescription)")
        }
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            if let token = line.split(whereSeparator: \.isWhitespace).last { return String(token) }
        }
        throw Failure("The token file '\(DisplayText(path))' has no line with a token.")
    }
}
