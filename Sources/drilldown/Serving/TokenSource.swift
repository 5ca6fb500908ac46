import Files
import LevelsAPI
import PropertyLists

/// The tokens that allow edits or reading: from the environment, and from a file that is read again when it changes.
struct TokenSource {
    enum Purpose {
        case editing, reading

        /// The setting that names the file.
        var file: KeyPath<Settings, String?> { self == .editing ? \.editTokenFile : \.readTokenFile }
        /// The variable that holds tokens.
        var variable: String { self == .editing ? Settings.editTokenVariable : Settings.readTokenVariable }
    }

    private let fixed: AccessTokens
    private let file: AccessTokenFile?

    /// Reads the tokens. Returns nil if neither the variable nor the file is set; editing is then off, or reading does
    /// not need a token.
    ///
    /// - Parameter log: receives the entries about the file.
    /// - Throws: `StartRefusal` for an unreadable file, and for a variable with a malformed token.
    init?(
        purpose: Purpose, settings: Settings, _ log: @escaping @Sendable (Log.Entry) -> Void
    ) throws(StartRefusal) {
        let path = settings[keyPath: purpose.file]
        let token = purpose == .editing ? settings.editToken : settings.readToken
        guard token != nil || path != nil else { return nil }
        fixed = AccessTokens(Array((token ?? "").utf8))
        if let fault = fixed.faults.first {
            throw StartRefusal(description: "\(purpose.variable), line \(fault.line): \(fault).")
        }
        guard let path else {
            file = nil
            return
        }
        do throws(SmallFile.Unreadable) {
            file = try AccessTokenFile(path: path) { notice in log(Log.Entry(notice: notice, path: path)) }
        } catch {
            throw StartRefusal(description: "\(settings.name(purpose.file)): '\(path: path)' cannot be read: \(error).")
        }
    }

    var tokens: AccessTokens { file.map { $0.tokens().adding(fixed) } ?? fixed }

    /// The access with the tokens. Its events go to a log.
    func access(_ log: Log) -> TokenAccess { TokenAccess(log: { log.write(Log.Entry($0)) }, tokens: { tokens }) }
}

extension Log.Entry {
    /// Creates the line for a notice about the token file. The log never shows a line of the file.
    init(notice: AccessTokenFile.Notice, path: String) {
        let file = Log.Member("file", .text(path))
        switch notice {
        case .reread(let count):
            self.init(
                severity: .info, event: "tokens",
                text: "the token file '\(path: path)' was read again: \(Quantity(count: count, noun: "token"))"
                    + (count == 0 ? "; the file allows nothing" : ""),
                members: [file, .init("tokens", .number(count))])
        case .empty:
            self.init(
                severity: .warning, event: "tokens",
                text:
                    "the token file '\(path: path)' has no token, so it allows nothing; put one on a line of its own, after a name and a space if it has a name",
                members: [file])
        case .fault(let fault):
            self.init(
                severity: .warning, event: "tokens", text: "\(path): line \(fault.line) allows nothing: \(fault)",
                members: [file, .init("line", .number(fault.line))])
        case .exposed(let mode):
            self.init(
                severity: .warning, event: "tokens",
                text:
                    "the token file '\(path: path)' can be read or changed by other users (mode \(String(mode, radix: 8))); 'chmod 600' keeps it secret",
                members: [file])
        case .unreadable(let reason):
            self.init(
                severity: .error, event: "tokens",
                text:
                    "the token file '\(path: path)' cannot be read: \(reason). Its tokens are refused until it can be read.",
                members: [file])
        }
    }

    /// Creates the line for an event about tokens.
    init(_ event: TokenEvent) {
        switch event {
        case .wrongTokens(let address):
            self.init(
                severity: .warning, event: "tokens",
                text: "many wrong tokens come from \(address); further ones are answered with 429",
                members: [.init("address", .text(address))])
        }
    }
}
