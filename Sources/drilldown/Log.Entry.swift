extension Log {
    enum Severity: String {
        case info, warning, error

        /// What tells systemd's journal the severity; it does not keep it. A line without one is information.
        var journalPrefix: String {
            switch self {
            case .info: ""
            case .warning: "<4>"
            case .error: "<3>"
            }
        }

        /// The word, bold and in a colour if that is wanted (ECMA-48, SGR).
        func word(_ isColored: Bool) -> String {
            guard isColored else { return rawValue }
            return switch self {
            case .info: rawValue
            case .warning: "\u{1B}[1;33m\(rawValue)\u{1B}[0m"
            case .error: "\u{1B}[1;31m\(rawValue)\u{1B}[0m"
            }
        }
    }

    /// A member of an event's JSON object.
    struct Member: Equatable {
        enum Value: Equatable {
            case text(String)
            case number(Int)
            case decimal(Double)
            case flag(Bool)
        }

        let name: String
        let value: Value

        init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
    }

    /// One event, which is one line of the log.
    struct Entry: Equatable {
        let severity: Severity
        /// The kind of event; one word, for programs.
        let event: String
        /// The whole event as a sentence.
        let text: String
        /// The members of the JSON line in addition to time, level, event and message.
        let members: [Member]

        init(_ severity: Severity, _ event: String, _ text: String, _ members: [Member] = []) {
            (self.severity, self.event, self.text, self.members) = (severity, event, text, members)
        }
    }
}
