internal import Bytes
internal import PropertyLists

/// Describes how a document was read as it is, for the log, `check` and `/readyz`: the children names, and the titles
/// and keys of the first lists.
struct ReadingSummary {
    struct List: Hashable {
        /// The name under which the list or the map stands; nil for the document itself, and for an element.
        let name: String?
        let title: [[UInt8]]
        let key: [UInt8]?
    }

    /// The lists that differ, each with the number of its first container.
    private var lists: [List: Int] = [:]
    private var hasMore = false
    /// Hashes of lists that were noted, each with the number of the first container, at the place that the hash gives.
    private var noted: [(hash: UInt64, number: Int)] = Array(repeating: (0, .max), count: mostLists)

    private static let mostLists = 64
    private static let mostNamed = 3

    /// Whether a list with the same hash is known to be noted for an earlier container. Otherwise this container counts as
    /// noted.
    mutating func hasNoted(_ hash: UInt64, before number: Int) -> Bool {
        let place = Int(hash % UInt64(Self.mostLists))
        if noted[place].hash == hash, noted[place].number < number { return true }
        noted[place] = (hash, number)
        return false
    }

    mutating func note(_ list: List, number: Int) {
        guard !list.title.isEmpty || list.key != nil else { return }
        if let known = lists[list] {
            if number < known { lists[list] = number }
        } else if lists.count < Self.mostLists {
            lists[list] = number
        } else {
            hasMore = true
        }
    }

    /// The sentence, without its full stop.
    ///
    /// - Parameter isArray: whether the document is an array.
    func sentence(childrenNames: [String], isArray: Bool) -> String {
        var parts: [String] = []
        if !childrenNames.isEmpty {
            let names = childrenNames.prefix(Self.mostNamed).map { "'\(quoted: $0)'" }.joined(separator: ", ")
            let others = childrenNames.count - Self.mostNamed
            parts.append("rows in \(names)" + (others > 0 ? " and \(Quantity(count: others, noun: "other name"))" : ""))
        }
        let ordered = lists.sorted { $0.value < $1.value }.map(\.key)
        parts += ordered.prefix(Self.mostNamed).map(Self.words)
        let others = ordered.count - Self.mostNamed
        if others > 0 {
            parts.append(hasMore ? "and more lists" : "and \(Quantity(count: others, noun: "more list"))")
        }
        return "read as it is: "
            + (parts.isEmpty
                ? isArray ? "rows by their texts or numbers" : "rows by their names" : parts.joined(separator: "; "))
    }

    private static func words(for list: List) -> String {
        let name = list.name.map { "'\(quoted: $0)'" } ?? "rows"
        let title = list.title.isEmpty ? nil : "by " + quoted(Array(list.title.joined(separator: [UInt8(ascii: ".")])))
        let key = list.key.map { "keys " + quoted($0) }
        return name + " " + [title, key].compactMap(\.self).joined(separator: ", ")
    }

    private static func quoted(_ name: [UInt8]) -> String { "'\(QuotedText(utf8: name.span))'" }
}
