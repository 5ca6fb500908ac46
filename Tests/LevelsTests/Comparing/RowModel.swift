import PropertyLists

@testable import TestDocuments

/// A row of a random level, and plain code that sorts and divides such rows.
struct RowModel {
    let title: String
    /// The fields `A` and `B`, where the row has them.
    let fields: [String: Value]

    init(_ random: inout SeededGenerator) {
        title = Self.texts[random.below(Self.texts.count)]
        var fields: [String: Value] = [:]
        for name in ["A", "B"] where !random.one(in: 4) { fields[name] = Self.values[random.below(Self.values.count)] }
        self.fields = fields
    }

    private static let texts = ["b", "B", "ä", "a", "10", "9", "x y", "Straße", "strasse", "", "e\u{301}", "é"]
    private static let values: [Value] =
        texts.map { .string($0) } + [
            .integer(.init(9 as Int64)), .integer(.init(-1 as Int64)), .real(9), .real(2.5), .boolean(true),
            .boolean(false),
            .date(0), .date(86_400), .array([.string("b")]), .dictionary([]), .data([1]), .uid(1),
        ]

    var value: Value {
        .dictionary(
            [.init("Title", .string(title))]
                + fields.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
    }

    private func field(_ name: String) -> Value? { name == "Title" ? .string(title) : fields[name] }

    // MARK: Sorting

    static func places(_ rows: [RowModel], sortedBy order: String) -> [Int] {
        var places = Array(rows.indices)
        for part in order.split(separator: ",").reversed() {
            let isDescending = part.hasPrefix("-")
            let name = String(isDescending ? part.dropFirst() : part)
            let having = places.filter { rows[$0].field(name) != nil }
            // An insertion sort keeps equal rows as they are.
            var sorted: [Int] = []
            for place in having {
                let rank = rows[place].field(name).map(Rank.init)
                let index = sorted.firstIndex { other in
                    guard let rank, let known = rows[other].field(name).map(Rank.init) else { return false }
                    return isDescending ? known < rank : rank < known
                }
                sorted.insert(place, at: index ?? sorted.count)
            }
            places = sorted + places.filter { rows[$0].field(name) == nil }
        }
        return places
    }

    /// Where a value stands among others.
    private struct Rank: Comparable {
        let kind: Int
        var number = 0.0
        var text: [UInt32] = []

        init(_ value: Value) {
            switch value {
            case .boolean(let isTrue): (kind, number) = (0, isTrue ? 1 : 0)
            case .integer(let integer): (kind, number) = (1, Double(integer.description) ?? 0)
            case .real(let real): (kind, number) = (1, real)
            case .date(let seconds): (kind, number) = (2, seconds)
            case .string(let text):
                if let number = Double(text) {
                    (kind, self.number) = (1, number)
                } else {
                    kind = 3
                    let plain = text.replacing("Straße", with: "strasse").replacing("ä", with: "a")
                        .replacing("é", with: "e").lowercased()
                    self.text = plain.unicodeScalars.map(\.value)
                }
            default: kind = 4
            }
        }

        static func < (one: Rank, other: Rank) -> Bool {
            if one.kind != other.kind { return one.kind < other.kind }
            return one.number != other.number
                ? one.number < other.number : one.text.lexicographicallyPrecedes(other.text)
        }
    }

    // MARK: Sections

    static func sections(_ rows: [RowModel], groupedBy name: String) -> [(title: String?, places: [Int])] {
        var sections: [(title: String?, places: [Int])] = []
        var untitled: [Int] = []
        for (place, row) in rows.enumerated() {
            guard let title = row.field(name).flatMap(heading) else {
                untitled.append(place)
                continue
            }
            // Swift compares strings by canonical equivalence.
            if let known = sections.firstIndex(where: { $0.title == title }) {
                sections[known].places.append(place)
            } else {
                sections.append((title, [place]))
            }
        }
        return untitled.isEmpty ? sections : sections + [(nil, untitled)]
    }

    private static func heading(_ value: Value) -> String? {
        switch value {
        case .string(let text): text
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .integer(let integer): integer.description
        case .real(let real): JSONText.real(real)
        case .date(let seconds): JSONText.date(seconds)
        default: nil
        }
    }
}
