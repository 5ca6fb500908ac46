internal import Bytes
internal import PropertyLists

/// The structural dictionary keys: the names of each role, of which the first one present counts.
public struct StructuralNames: Sendable, Equatable {
    /// What a structural key means.
    public enum Role: String, CaseIterable, Sendable {
        /// The title of an item or a section.
        case title
        /// The key of an item, if it is not the title.
        case key
        /// The rows of an item or a section.
        case children
        /// The rows of an item, divided into sections.
        case sections
        /// Which of the sections in a dictionary are shown, and in what order.
        case sectionKeys
        /// The titles of those sections.
        case sectionTitles
    }

    private var names: [Role: [String]] = [
        .title: ["Title"], .key: ["Key"], .children: ["Children", "Rows"], .sections: ["Sections"],
        .sectionKeys: ["SectionKeys"], .sectionTitles: ["SectionTitles"],
    ]

    /// The names without a mapping: `Title`, `Key`, `Children` or `Rows`, `Sections`, `SectionKeys`, `SectionTitles`.
    public init() {}

    /// Maps roles to other names, as `title=name|group,children=entries`; other roles keep their names.
    ///
    /// - Throws: `StructuralNamesError` for an unknown role, a missing name, or one name in two roles.
    public init(mapping text: String) throws(StructuralNamesError) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let role = sides.first.flatMap({ Role(rawValue: String($0)) }) else {
                throw StructuralNamesError(
                    reason: "'\(quoted: sides.first ?? "")' is not a role; the roles are "
                        + Role.allCases.map(\.rawValue).joined(separator: ", "))
            }
            let list = sides.count == 2 ? sides[1].split(separator: "|", omittingEmptySubsequences: false) : []
            guard !list.isEmpty, !list.contains("") else {
                throw StructuralNamesError(
                    reason: "the role '\(role.rawValue)' needs a name, as in \(role.rawValue)=name")
            }
            names[role] = list.map(String.init)
        }
        var seen: Set<String> = []
        for role in Role.allCases {
            for name in self[role] where !seen.insert(name).inserted {
                throw StructuralNamesError(reason: "'\(quoted: name)' is given two roles; a name can have only one")
            }
        }
    }

    /// The names of a role, the strongest first.
    public subscript(role: Role) -> [String] { names[role] ?? [] }

    /// The same names except for those of one role; nil if one of the new names already belongs to another role.
    public func replacing(_ role: Role, with list: [String]) -> StructuralNames? {
        let others = Role.allCases.filter { $0 != role }.flatMap { self[$0] }
        guard !list.isEmpty, Set(others + list).count == others.count + list.count else { return nil }
        var copy = self
        copy.names[role] = list
        return copy
    }

    /// The text from which `init(mapping:)` makes these names: the roles whose names are not the defaults.
    public var mapping: String {
        let usual = StructuralNames()
        return Role.allCases.filter { self[$0] != usual[$0] }
            .map { "\($0.rawValue)=" + self[$0].joined(separator: "|") }.joined(separator: ",")
    }

    /// The name of some roles that a key is one typing error away from, regardless of case.
    public func slip(_ key: String, of roles: [Role]) -> String? {
        let candidates = roles.flatMap { self[$0] }
        guard !candidates.contains(key) else { return nil }
        return candidates.first { EditDistance.isOneSlip(key, $0, ignoringCase: true) }
    }
}

extension StructuralNames.Role {
    /// The roles whose values are lists.
    public static let lists: [Self] = [.children, .sections, .sectionKeys, .sectionTitles]
}

/// Why a mapping of structural names cannot be used.
public struct StructuralNamesError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence without the final full stop: what is wrong and what would be right.
    public let reason: String
    /// The reason.
    public var description: String { reason }
}

extension StructuralNames {
    /// The name for the level of an item that had none.
    func newLevelName(_ form: LevelForm) -> String {
        let role = form == .sections || form == .namedSections ? Role.sections : .children
        return self[role].first ?? "Children"
    }

    /// The name for the rows of a section that had none: `Rows` if that is one of the names.
    var newRowsName: String {
        let names = self[.children]
        return names.contains("Rows") ? "Rows" : names.first ?? "Rows"
    }

    /// The number of sections that an item's `SectionKeys` names; nil without one.
    func listedSections(of item: Item.Step) -> Int? {
        let bytes = item.level.bytes
        let fields = item.level.row(item.row).fields
        for name in self[.sectionKeys] {
            guard let value = PackedDictionary(bytes.span, fields).value(name),
                bytes[value] == PackedTag.hidden.rawValue,
                let listed = PackedReader(bytes.span, at: value + 1).elements
            else { continue }
            return listed.count
        }
        return nil
    }
}
