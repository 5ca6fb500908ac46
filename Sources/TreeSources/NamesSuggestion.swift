internal import Levels

/// What would make a document readable whose items have other names than those that were looked for.
struct NamesSuggestion {
    private let title: String?
    private let children: [String]
    /// Whether the root dictionary has nothing that was looked for.
    private let lacksRows: Bool

    /// - Parameters:
    ///   - survey: what keys the document has.
    ///   - names: those that were looked for.
    init(_ survey: KeySurvey, names: StructuralNames) {
        let holders = names[.children] + names[.sections]
        lacksRows = survey.rootKeys?.isDisjoint(with: holders) ?? false
        title = Self.title(survey, known: names[.title] + names[.key])
        children = Self.children(survey, known: holders)
    }

    /// The end of a sentence that refuses the document; nil where its names are not what is wrong.
    var advice: String? {
        let roles = [
            title.map { "title=\($0)" }, children.isEmpty ? nil : "children=" + children.joined(separator: "|"),
        ]
        let mapping = roles.compactMap(\.self).joined(separator: ",")
        guard !mapping.isEmpty else { return lacksRows ? "--shape any serves any property list" : nil }
        let isPlain = mapping.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "=,-_.".utf8.contains(byte)
            }
        }
        let quoted = isPlain ? mapping : "'\(mapping)'"
        return "here --keys \(quoted) may fit, and --shape any serves any property list"
    }

    /// The text that most dictionaries have, one that is called a name or a title before others.
    private static func title(_ survey: KeySurvey, known: [String]) -> String? {
        let uses = known.reduce(0) { $0 + (survey.uses[$1]?.texts ?? 0) }
        // Where the names that were looked for are in use, the fault is another one.
        guard uses * 10 < survey.dictionaries else { return nil }
        // The root needs no title of its own.
        let items = survey.dictionaries - (survey.rootKeys == nil ? 0 : 1)
        let common = survey.uses.filter { $0.value.texts * 2 > items && canBeMapped($0.key) && $0.value.texts > 0 }
        let named = common.filter { key, _ in ["title", "name", "label"].contains { key.lowercased().hasSuffix($0) } }
        return (named.isEmpty ? common : named).max { first, second in
            (first.value.texts, second.value.rank) < (second.value.texts, first.value.rank)
        }?.key
    }

    /// The list of dictionaries that comes most often, after that of the root if it is another.
    private static func children(_ survey: KeySurvey, known: [String]) -> [String] {
        guard !known.contains(where: { survey.uses[$0].map { $0.lists > 0 } ?? false }) else { return [] }
        let lists = survey.uses.filter { $0.value.lists > 0 && canBeMapped($0.key) }
        func most(_ keys: [String: KeySurvey.Uses]) -> String? {
            keys.max { ($0.value.lists, $1.value.rank) < ($1.value.lists, $0.value.rank) }?.key
        }
        guard let frequent = most(lists) else { return [] }
        guard let root = survey.rootKeys, !root.contains(frequent) else { return [frequent] }
        return [most(lists.filter { root.contains($0.key) }), frequent].compactMap(\.self)
    }

    /// Whether a name can stand in a mapping, where these characters divide.
    private static func canBeMapped(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains { $0 < 0x20 || ",|='".utf8.contains($0) }
    }
}
