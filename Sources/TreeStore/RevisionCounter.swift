/// Names the states that one process publishes: a random prefix and a counter.
struct RevisionCounter {
    private let prefix: String
    private var number = 0

    init() {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        prefix = String((0..<6).compactMap { _ in letters.randomElement() })
    }

    /// The next revision, as `k3f9ab-12`.
    mutating func next() -> String {
        number += 1
        return "\(prefix)-\(number)"
    }
}
