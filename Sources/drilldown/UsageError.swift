/// A command line, variable or configuration that cannot be understood: exit status 2.
struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, as a whole sentence.
    let fact: String
    /// What would be right, as a whole sentence; nil if the fact says it.
    let hint: String?

    init(_ fact: String, hint: String? = nil) {
        self.fact = fact
        self.hint = hint
    }

    var description: String { hint.map { "\(fact) \($0)" } ?? fact }
}
