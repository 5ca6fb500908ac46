/// The latest answers about one state of a database.
struct KeptAnswers {
    private var answers: [(name: String, answer: any Sendable, cost: Int)] = []
    private var cost = 0

    /// The maximum number of answers, and their maximum memory in bytes.
    private static let most = 64
    private static let mostCost = 1 << 20

    subscript(name: String) -> (any Sendable)? { answers.first { $0.name == name }?.answer }

    mutating func keep(_ answer: any Sendable, as name: String, cost: Int) {
        guard cost <= Self.mostCost / 4, self[name] == nil else { return }
        answers.append((name, answer, cost))
        self.cost += cost
        while answers.count > Self.most || self.cost > Self.mostCost { self.cost -= answers.removeFirst().cost }
    }
}
