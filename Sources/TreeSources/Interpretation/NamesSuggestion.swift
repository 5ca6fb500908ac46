internal import Levels
internal import PropertyLists

/// Suggests names for a document whose items do not use the expected names.
///
/// The search follows the lists from the root. A text that most dictionaries of a list have is the title. The lists in
/// these dictionaries are the next level.
struct NamesSuggestion {
    private let survey: KeySurvey
    private let names: StructuralNames
    /// Whether the document has its own names for titles, which are neither the expected names nor misspellings of
    /// them.
    let mapsTitles: Bool
    private(set) var titles: [String] = []
    private var holders: [String] = []
    /// The number of `holders` that belong to the root.
    private var rootHolders = 0
    /// The groups of dictionaries that would be items.
    private var reached: [Int] = []

    /// - Parameters:
    ///   - survey: the keys of the document.
    ///   - names: the expected names.
    init(survey: KeySurvey, names: StructuralNames) {
        self.survey = survey
        self.names = names
        mapsTitles = !Self.usesTitles(survey, names: names)
        if survey.root == .dictionary {
            take(rootHolder.map { [$0] } ?? [])
            rootHolders = holders.count
        } else {
            reached = [0]
        }
        var next = 0
        while next < reached.count {
            let group = survey.groups[reached[next]]
            next += 1
            if mapsTitles { addTitle(of: group) }
            take(lists(in: group))
        }
    }

    /// The names to try, the most complete first.
    var candidates: [StructuralNames] {
        // If the expected names fit only some items, `adding` completes the names.
        let expected = mapsTitles || !hasOwnRows ? [] : [names]
        return mappings + expected
    }

    /// Whether the rows of the root are under an expected name.
    private var hasOwnRows: Bool {
        survey.root == .array
            || (names[.children] + names[.sections]).contains {
                survey.groups[0].uses[$0].map { $0.lists > 0 } ?? false
            }
    }

    private var mappings: [StructuralNames] {
        let fewer = holders.count > rootHolders ? [Array(holders.prefix(rootHolders))] : []
        return ([holders] + fewer).compactMap { holders in
            let mapped = titles.isEmpty ? names : names.replacing(.title, with: titles)
            let known = names[.children].filter(holders.contains)
            let wanted = holders.filter { !(names[.children] + names[.sections]).contains($0) }
            let all = wanted.isEmpty ? mapped : mapped?.replacing(.children, with: known + wanted)
            return all == names ? nil : all
        }
    }

    /// Whether the suggestion names lists that would be levels.
    var mapsLists: Bool { !holders.isEmpty }

    /// Returns the candidate with one more name for titles, taken from an item without a title. Returns nil if no text
    /// of the item fits.
    func adding(_ item: UntitledItem, to candidate: StructuralNames) -> StructuralNames? {
        guard !mapsTitles || !titles.isEmpty, !item.names.contains(where: { names.slip($0, of: [.title]) != nil })
        else { return nil }
        let texts = item.names.filter { isFree($0, for: [.title, .key]) }
        // If several texts are equally good, the first one in the item is taken.
        let title = texts.enumerated().max { first, second in
            rank(first.element, at: first.offset) < rank(second.element, at: second.offset)
        }
        return title.flatMap { candidate.replacing(.title, with: candidate[.title] + [$0.element]) }
    }

    /// The rank of a text as a title. Texts whose keys end in `title`, `name` or `label` rank highest, then texts that
    /// mostly differ, then the texts at earlier places.
    private func rank(_ text: String, at place: Int) -> (Int, Int, Int) {
        (Self.isNamed(text) ? 1 : 0, count(of: text).isVaried ? 1 : 0, -place)
    }

    // MARK: Titles

    /// Whether titles have the expected names, or misspellings of these. If so, the document has another fault.
    private static func usesTitles(_ survey: KeySurvey, names: StructuralNames) -> Bool {
        let groups = survey.root == .dictionary ? survey.groups.dropFirst() : survey.groups[...]
        let dictionaries = groups.reduce(0) { $0 + $1.dictionaries }
        let known = names[.title] + names[.key]
        let uses = groups.reduce(0) { sum, group in
            sum
                + group.uses.reduce(0) {
                    known.contains($1.key) || names.slip($1.key, of: [.title]) != nil ? $0 + $1.value.texts : $0
                }
        }
        return uses * 10 >= dictionaries && uses > 0
    }

    /// Suggests a key as the title of a group's items, if no known key for titles is in the group. The suggested key has
    /// a text in most dictionaries of the group, or ends in `title`, `name` or `label`.
    private mutating func addTitle(of group: KeySurvey.Group) {
        guard !titles.contains(where: { (group.uses[$0]?.texts ?? 0) > 0 }) else { return }
        let common = group.uses.filter { name, uses in
            (uses.texts * 2 > group.dictionaries || uses.texts > 0 && Self.isNamed(name))
                && isFree(name, for: [.title, .key])
        }
        if let title = best(common.map { ($0.key, $0.value) }) { titles.append(title) }
    }

    /// The text that is best as a title. A text whose key ends in `title`, `name` or `label` is better than a text that
    /// mostly differs, which is better than the most frequent text. Nil without texts.
    private func best(_ texts: [(name: String, uses: KeySurvey.Uses)]) -> String? {
        func rank(_ text: (name: String, uses: KeySurvey.Uses)) -> (Int, Int, Int, Int) {
            (Self.isNamed(text.name) ? 1 : 0, text.uses.isVaried ? 1 : 0, text.uses.texts, -text.uses.rank)
        }
        return texts.max { rank($0) < rank($1) }?.name
    }

    private func count(of name: String) -> KeySurvey.Uses {
        survey.groups.lazy.compactMap { $0.uses[name] }.max { $0.texts < $1.texts } ?? KeySurvey.Uses(rank: .max)
    }

    private static func isNamed(_ key: String) -> Bool {
        ["title", "name", "label"].contains { key.lowercased().hasSuffix($0) }
    }

    // MARK: Lists

    /// The root's list of rows. This is the first list with an expected name, otherwise the list with the most
    /// dictionaries, otherwise the first list of texts that is at least half of the document; nil without any of these
    /// lists.
    private var rootHolder: String? {
        let uses = survey.groups[0].uses
        let known = names[.children] + names[.sections]
        if let own = known.first(where: { (uses[$0].map { $0.lists + $0.textLists } ?? 0) > 0 }) { return own }
        let lists = uses.filter { $0.value.lists > 0 && canHold($0.key) && hasTitledRows($0.key) }
        if !lists.isEmpty {
            return lists.max { first, second in
                (size(first.key), second.value.rank) < (size(second.key), first.value.rank)
            }?.key
        }
        // A list of texts is the level only if it is at least half of the document.
        let texts = uses.filter {
            $0.value.textLists > 0 && $0.value.textElements * 2 >= survey.values && canHold($0.key)
        }
        return texts.min { $0.value.rank < $1.value.rank }?.key
    }

    /// Whether a list can be the root's rows. The list must have several dictionaries, or the root must have at most
    /// three keys. In addition, at least half of the dictionaries must have a text under the same key.
    private func hasTitledRows(_ key: String) -> Bool {
        guard let number = survey.number(ofGroup: key) else { return false }
        let group = survey.groups[number]
        let isMain = group.dictionaries > 1 || survey.groups[0].uses.count <= 3
        return isMain && group.uses.values.contains { $0.texts * 2 >= group.dictionaries }
    }

    private func size(_ key: String) -> Int { survey.number(ofGroup: key).map { survey.groups[$0].dictionaries } ?? 0 }

    /// The lists of a group that are levels: the lists with known names, otherwise the most frequent list of
    /// dictionaries with titles.
    private func lists(in group: KeySurvey.Group) -> [String] {
        let lists = group.uses.filter { $0.value.lists > 0 }
        let known = (names[.children] + names[.sections] + holders).filter { lists[$0] != nil }
        guard known.isEmpty else { return known }
        let others = lists.filter { canHold($0.key) && hasTitles(inList: $0.key) }
        let most = others.max { first, second in
            (first.value.lists, second.value.rank) < (second.value.lists, first.value.rank)
        }
        return most.map { [$0.key] } ?? []
    }

    private func hasTitles(inList key: String) -> Bool {
        guard let number = survey.number(ofGroup: key) else { return false }
        let group = survey.groups[number]
        return group.uses.contains { name, uses in
            uses.texts * 2 > group.dictionaries
                && ((names[.title] + names[.key] + titles).contains(name) || mapsTitles && Self.isNamed(name))
        }
    }

    private mutating func take(_ keys: [String]) {
        for key in keys {
            if !holders.contains(key) { holders.append(key) }
            if let group = survey.number(ofGroup: key), !reached.contains(group) { reached.append(group) }
        }
    }

    // MARK: Names

    /// Whether a mapping can name a list.
    ///
    /// If the document has its own names for titles, a list name that differs from a structural name only in case also
    /// counts as the document's own name, and not as a slip.
    private func canHold(_ key: String) -> Bool {
        guard let near = names.slip(key, of: [.children, .sections]) else { return isFree(key, for: []) }
        return mapsTitles && near.lowercased() == key.lowercased() && isFree(key, for: [])
    }

    /// Whether a name can appear in a mapping, and is not in use. A name cannot appear in a mapping if it has
    /// characters that mappings reserve. It is in use if it is a structural name, or a misspelling of a name of the
    /// given roles.
    private func isFree(_ name: String, for roles: [StructuralNames.Role]) -> Bool {
        !name.isEmpty && QuotedText.isPlain(name) && !name.utf8.contains { ",|='".utf8.contains($0) }
            && names.slip(name, of: roles) == nil
            && !StructuralNames.Role.allCases.contains { names[$0].contains(name) }
    }
}
