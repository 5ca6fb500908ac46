internal import CPostgres

/// The failure of a statement or of a connection, as the server or libpq reports it.
struct PostgresFailure: Error, Sendable, Equatable {
    /// The five characters of the SQLSTATE; empty if the failure is not an error of the server.
    var state: String
    /// The primary message, without details, statement or position.
    var message: String
    /// The name of the constraint that was violated, if any.
    var constraint: String?
    /// Whether the connection is lost, so that the outcome of the statement is unknown.
    var isLost: Bool
    /// The number of the statement in its pipeline, from 0.
    var statement = 0
    /// Whether the fault is in the text of the statement, and not in a value.
    var isInText = false

    /// The connection is gone.
    static let lost = PostgresFailure(
        state: "", message: "the connection to the database was lost; the server reconnects when the database answers",
        constraint: nil, isLost: true)
}

extension PostgresFailure {
    /// Creates the failure that a result reports.
    init(result: borrowing PostgresResult, isLost: Bool) {
        state = result.error(.state) ?? ""
        message = Self.sentence(result.error(.message) ?? "the database gave no reason")
        constraint = result.error(.constraint)
        isInText = result.error(.position) != nil
        // After these errors, the server closes the connection. For example, pg_terminate_backend causes such an error
        // (class 57, operator intervention). Every error of the server has a SQLSTATE. An error without one comes from
        // libpq, which did not understand the server's answer, so the outcome of the statement is unknown. Statements
        // that the server skips after an error in their pipeline have no error of their own.
        self.isLost =
            isLost || ["57P01", "57P02", "57P03", "25P03", "57P05"].contains(state)
            || state.isEmpty && result.status != PGRES_PIPELINE_ABORTED
        if self.isLost { message = Self.lost.message }
    }

    /// Creates the failure of an attempt to connect.
    ///
    /// - Parameters:
    ///   - words: the message of libpq, one or more lines for each host.
    ///   - needsPassword: whether the server asked for a password that was missing.
    init(connecting words: String, needsPassword: Bool) {
        (state, constraint, isLost) = ("08001", nil, true)
        guard !needsPassword else {
            message =
                "the server asks for a password; put it into the file that PGPASSFILE or --database-password-file names, or into ~/.pgpass"
            return
        }
        var reasons: [String] = []
        for line in words.split(separator: "\n") {
            guard let reason = Self.reason(line), !reasons.contains(reason) else { continue }
            reasons.append(reason)
        }
        let advice = Self.advice.first { words.contains($0.words) }.map { "; \($0.advice)" } ?? ""
        message =
            "cannot connect: " + (reasons.isEmpty ? "libpq gave no reason" : reasons.joined(separator: "; ")) + advice
    }

    /// Remedies for messages of libpq or of the server that contain the given words.
    private static let advice = [
        (words: "Is the server running", advice: "is the server running?"),
        (
            words: "password authentication failed",
            advice:
                "correct the password in the file that --database-password-file or PGPASSFILE names, or in ~/.pgpass"
        ),
        (words: "\" does not exist", advice: "create it, or name another in the address"),
        (words: "pg_hba.conf", advice: "allow the connection in that file of the server"),
    ]

    /// Returns the reason in a line of libpq's message, without the server's address; nil for a line without a reason.
    private static func reason(_ line: Substring) -> String? {
        // These lines give advice, or name a file with secrets.
        guard !line.hasPrefix("\t"), !line.hasPrefix("password retrieved"), !line.hasPrefix("could not initiate") else {
            return nil
        }
        var rest = line
        if rest.hasPrefix("connection to server "), let failed = rest.firstRange(of: " failed: ") {
            rest = rest[failed.upperBound...]
        }
        if rest.hasPrefix("FATAL:") { rest = rest.dropFirst(6).drop { $0 == " " } }
        return rest.isEmpty ? nil : sentence(String(rest))
    }

    /// A message as one line, without its full stop.
    private static func sentence(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.last == "." ? String(line.dropLast()) : line
    }
}

extension PostgresFailure {
    /// The failure as an error of the database.
    func databaseError(of tree: String) -> DatabaseError {
        switch state {
        // The table 'head' is read first. If another table is missing, the schema belongs to a damaged tree.
        case "42P01" where !message.hasSuffix(".head\" does not exist"):
            DatabaseError(kind: .other, reason: "\(message); restore the tree from a backup")
        case "42P01", "3F000":
            DatabaseError(
                kind: .other,
                reason: "the database has no tree named '\(tree)'; create it with import, or name another in tree=")
        case "42501": DatabaseError(kind: .readOnly, reason: message + "; grant this role the missing permission")
        case "25006":
            DatabaseError(
                kind: .readOnly,
                reason: "the database is a standby or read-only, and takes no edits; name the primary server")
        case _ where isLost || state.hasPrefix("08"), "53300": DatabaseError(kind: .away, reason: message)
        case "55P03", "57014", "40P01", "40001":
            DatabaseError(kind: .busy, reason: "another program holds a lock in the database")
        case "53100": DatabaseError(kind: .noSpace, reason: "the disk of the database is full")
        default: DatabaseError(kind: .other, reason: message)
        }
    }

    /// Whether a constraint or a trigger of the owner may be the reason, rather than the state of the database.
    var isRefusal: Bool {
        let others = ["08", "25", "40", "53", "55", "57", "58", "XX"]
        return !isLost && state != "42501" && !others.contains(String(state.prefix(2)))
    }
}
