import LevelsAPI
import PropertyLists

/// Where the edit tokens of a service come from: the variable, and the file, which is read again when it changes.
struct EditTokenSource {
    /// The reason why the service does not start.
    struct Refusal: Error, CustomStringConvertible { let description: String }

    private let fixed: EditTokens
    private let file: EditTokenFile?

    /// Nil if neither is set, so that editing is off.
    ///
    /// - Parameter log: receives the entries about the file.
    /// - Throws: `Refusal` for an unreadable file, and for a variable that is not a token.
    init?(_ settings: Settings, _ log: @escaping @Sendable (Log.Entry) -> Void) throws(Refusal) {
        let path = settings.text("EditTokenFile")
        guard settings.editToken != nil || !path.isEmpty else { return nil }
        fixed = EditTokens(Array((settings.editToken ?? "").utf8))
        if let fault = fixed.faults.first {
            throw Refusal(description: "\(Settings.editTokenVariable), line \(fault.line): \(fault).")
        }
        guard !path.isEmpty else {
            file = nil
            return
        }
        do throws(EditTokenFile.Unreadable) {
            file = try EditTokenFile(path) { notice in log(Log.Entry(notice, path)) }
        } catch {
            throw Refusal(description: "\(settings.name("EditTokenFile")): '\(path: path)' cannot be read: \(error).")
        }
    }

    /// The tokens now.
    var tokens: EditTokens { file.map { $0.tokens().adding(fixed) } ?? fixed }
}

extension Log.Entry {
    /// The line for a notice about the token file. It never shows a line of the file.
    init(_ notice: EditTokenFile.Notice, _ path: String) {
        let file = Log.Member("file", .text(path))
        switch notice {
        case .reread(let count):
            self.init(
                .info, "tokens",
                "the token file '\(path: path)' was read again: \(Quantity(count, "token"))"
                    + (count == 0 ? "; nobody can edit with one of it" : ""),
                [file, .init("tokens", .number(count))])
        case .fault(let fault):
            self.init(
                .warning, "tokens", "\(path): line \(fault.line) allows nothing: \(fault)",
                [file, .init("line", .number(fault.line))])
        case .exposed(let mode):
            self.init(
                .warning, "tokens",
                "the token file '\(path: path)' can be read or changed by other users (mode \(String(mode, radix: 8))); 'chmod 600' keeps it secret",
                [file])
        case .unreadable(let reason):
            self.init(
                .error, "tokens",
                "the token file '\(path: path)' cannot be read: \(reason). Until it can, none of its tokens allows edits.",
                [file])
        }
    }

    /// The line for an event of editing.
    init(_ event: EditEvent) {
        switch event {
        case .wrongTokens(let address):
            self.init(
                .warning, "tokens", "many wrong edit tokens come from \(address); further ones are answered with 429",
                [.init("address", .text(address))])
        }
    }
}
