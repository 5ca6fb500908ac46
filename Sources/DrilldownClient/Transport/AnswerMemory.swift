import Foundation

/// The values of earlier answers with the answers' entity tags, so that an unchanged answer is not decoded again.
///
/// The size of the memory is limited; the least recently used values are forgotten first.
final class AnswerMemory: Sendable {
    private let limit: Int
    private let state = Guarded(State())

    struct Entry: Sendable {
        let tag: String
        let value: any Sendable
        let cost: Int
        var lastUse = 0
    }

    private struct State: Sendable {
        var entries: [String: Entry] = [:]
        var cost = 0
        var uses = 0
    }

    /// Creates an empty memory.
    ///
    /// - Parameter limit: the maximum sum of all costs, in bytes.
    init(limit: Int) { self.limit = limit }

    /// The sum of the costs of all entries.
    var cost: Int { state.withLock { $0.cost } }

    /// The entry of a target; nil if the target is not remembered. The entry becomes the most recently used one.
    subscript(target: String) -> Entry? {
        state.withLock { state in
            state.uses += 1
            state.entries[target]?.lastUse = state.uses
            return state.entries[target]
        }
    }

    /// Replaces the entry of a target. A new entry whose cost alone exceeds the limit is not remembered.
    func remember(_ entry: Entry, for target: String) {
        state.withLock { state in
            state.cost -= state.entries.removeValue(forKey: target)?.cost ?? 0
            guard entry.cost <= limit else { return }
            var entry = entry
            state.uses += 1
            entry.lastUse = state.uses
            state.entries[target] = entry
            state.cost += entry.cost
            if state.cost > limit { Self.forget(&state, to: limit / 2, except: target) }
        }
    }

    /// Forgets the least recently used entries until the sum of all costs is at most `limit`.
    ///
    /// The caller passes half of the maximum. Many entries are then forgotten at a time, and sorting is rare.
    private static func forget(_ state: inout State, to limit: Int, except kept: String) {
        let oldest = state.entries.sorted { $0.value.lastUse < $1.value.lastUse }
        for (target, entry) in oldest where target != kept {
            guard state.cost > limit else { return }
            state.entries[target] = nil
            state.cost -= entry.cost
        }
    }
}

/// A value that several threads share, behind a lock.
///
/// `Mutex` needs newer systems than this library supports.
final class Guarded<Value: Sendable>: @unchecked Sendable {
    // Sendable holds because every access to the value is within the lock.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs a body with exclusive access to the value; the body must not block.
    func withLock<Outcome, Failure: Error>(_ body: (inout Value) throws(Failure) -> Outcome) throws(Failure) -> Outcome
    {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
