/// The checks that are still to be done, in classes by cost.
///
/// Each class gets an equal share of the time, and does its checks in order of arrival: a thousand long ones delay a
/// short one by one of them, and however many short ones come, the long ones go on.
struct RecheckClasses<Key: Sendable>: Sendable {
    private struct Class {
        var keys = Fifo<Key>()
        /// Its time so far; that of a class that was empty begins with the least that another has had.
        var spent = Duration.zero
    }

    /// By the number of decimal digits of the cost.
    private var classes = [Class](repeating: Class(), count: 6)

    var isEmpty: Bool { classes.allSatisfy { $0.keys.count == 0 } }

    /// - Parameter cost: about how many rows are looked at.
    mutating func add(_ key: Key, cost: Int) {
        var (number, rest) = (0, cost / 100)
        while rest > 0, number < classes.count - 1 { (number, rest) = (number + 1, rest / 10) }
        if classes[number].keys.count == 0 {
            classes[number].spent = classes.filter { $0.keys.count > 0 }.map(\.spent).min() ?? .zero
        }
        classes[number].keys.append(key)
    }

    /// The next check: of the class that has had the least time.
    mutating func takeNext() -> (key: Key, class: Int)? {
        let waiting = classes.indices.filter { classes[$0].keys.count > 0 }
        guard let number = waiting.min(by: { classes[$0].spent < classes[$1].spent }) else { return nil }
        return classes[number].keys.takeFirst().map { ($0, number) }
    }

    /// Notes how long a check of a class took.
    mutating func note(_ time: Duration, in number: Int) { classes[number].spent += time }
}
