extension Log {
    enum Severity: String { case info, warning, error }

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
