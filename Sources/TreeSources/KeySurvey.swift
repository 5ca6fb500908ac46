internal import Levels
internal import PropertyLists

/// Counts the keys of a whole document, for a word on which of them may be structure; its memory is bounded.
struct KeySurvey: PropertyListConsumer {
    /// What one key stands for, and in how many dictionaries.
    struct Uses {
        var texts = 0
        /// Arrays whose first element is a dictionary.
        var lists = 0
        /// The place among all keys, by first appearance.
        let rank: Int
    }

    private struct Container {
        let isArray: Bool
        /// The key that the container is the value of; for a dictionary, of the entry to come.
        var key: String?
        var isEmpty = true
    }

    private(set) var uses: [String: Uses] = [:]
    /// How many dictionaries there are.
    private(set) var dictionaries = 0
    /// The keys of the root dictionary that were kept; nil where the root is none.
    private(set) var rootKeys: Set<String>?
    private var open: [Container] = []

    private static let mostKeys = 1_000
    private static let longestKey = 100

    mutating func beginDictionary(at position: SourcePosition) {
        dictionaries += 1
        if open.isEmpty { rootKeys = [] }
        if let top = open.last, top.isArray, top.isEmpty, let key = top.key { uses[key]?.lists += 1 }
        didSeeValue()
        open.append(Container(isArray: false))
    }

    mutating func beginArray(at position: SourcePosition) {
        let key = open.last.flatMap { $0.isArray ? nil : $0.key }
        didSeeValue()
        open.append(Container(isArray: true, key: key))
    }

    mutating func endDictionary() { open.removeLast() }
    mutating func endArray() { open.removeLast() }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {
        let top = open.count - 1
        open[top].key = nil
        guard name.count <= Self.longestKey else { return }
        let text = String(utf8: name)
        if uses[text] == nil {
            guard uses.count < Self.mostKeys else { return }
            uses[text] = Uses(rank: uses.count)
        }
        open[top].key = text
        if top == 0 { rootKeys?.insert(text) }
    }

    mutating func string(_ text: Span<UInt8>) {
        if let top = open.last, !top.isArray, let key = top.key { uses[key]?.texts += 1 }
        didSeeValue()
    }

    mutating func integer(_ value: PropertyListInteger) { didSeeValue() }
    mutating func real(_ value: Double) { didSeeValue() }
    mutating func boolean(_ value: Bool) { didSeeValue() }
    mutating func date(_ seconds: Double) { didSeeValue() }
    mutating func data(_ bytes: Span<UInt8>) { didSeeValue() }
    mutating func uid(_ value: UInt64) { didSeeValue() }

    private mutating func didSeeValue() {
        if !open.isEmpty { open[open.count - 1].isEmpty = false }
    }
}
