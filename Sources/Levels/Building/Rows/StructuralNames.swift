internal import Bytes
internal import PropertyLists

/// The names of structural dictionary keys, by role. If a dictionary contains several names of a role, the name that
/// comes first in the role's list counts.
///
/// The option `--keys` gives a mapping:
///
///     let names = try StructuralNames(mapping: "title=name,children=entries")
public struct StructuralNames: Sendable, Equatable {
    /// The meaning of a structural key.
    public enum Role: String, CaseIterable, Sendable {
        /// The title of an item or a section.
        case title
        /// The key of an item; if it is missing, the title is the key.
        case key
        /// The rows of an item or a section.
        case children
        /// The rows of an item, divided into sections.
        case sections
        /// The names of the shown sections of a dictionary, in order.
        case sectionKeys
        /// The titles of sections that are arrays.
        case sectionTitles
    }

    private var names: [Role: [String]] = [
        .title: ["Title"], .key: ["Key"], .children: ["Children", "Rows"], .sections: ["Sections"],
        .sectionKeys: ["SectionKeys"], .sectionTitles: ["SectionTitles"],
    ]
    /// The roles whose names were given.
    private var given: Set<Role> = []

    /// The default names: `Title`, `Key`, `Children` or `Rows`, `Sections`, `SectionKeys`, `SectionTitles`.
    public init() {}

    /// Maps roles to other names, as in `title=name|group,children=entries`. The remaining roles keep the default
    /// names. `children=` means that no name holds rows.
    ///
    /// - Throws: `StructuralNamesError` for an unknown role, a missing name, or a name in two roles.
    public init(mapping text: String) throws(StructuralNamesError) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let role = sides.first.flatMap({ Role(rawValue: String($0)) }) else {
                throw StructuralNamesError(
                    reason: "'\(quoted: sides.first ?? "")' is not a role; the roles are "
                        + Role.allCases.map(\.rawValue).joined(separator: ", "))
            }
            var list = sides.count == 2 ? sides[1].split(separator: "|", omittingEmptySubsequences: false) : []
            let isNone = role == .children && list == [""]
            if isNone { list = [] }
            guard isNone || !list.isEmpty, !list.contains("") else {
                throw StructuralNamesError(
                    reason: "the role '\(role.rawValue)' needs a name, as in \(role.rawValue)=name")
            }
            give(list.map(String.init), as: role)
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

    /// Replaces the names of a role.
    public mutating func give(_ list: [String], as role: Role) {
        names[role] = list
        given.insert(role)
    }

    /// The given names of a role, or paths with dots; nil if the names of the role are the default.
    public func given(_ role: Role) -> [String]? { given.contains(role) ? self[role] : nil }

    /// The text for `init(mapping:)`: the roles with names other than the defaults.
    public var mapping: String {
        let usual = StructuralNames()
        return Role.allCases.filter { self[$0] != usual[$0] }
            .map { "\($0.rawValue)=" + self[$0].joined(separator: "|") }.joined(separator: ",")
    }

    /// Returns a name of these roles that is one typing error away from a key, regardless of case. Returns nil if the
    /// names are all further away, or if the key is one of them.
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

/// An error in a mapping of structural names.
public struct StructuralNamesError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence without the final full stop: the error and the rule.
    public let reason: String
    public var description: String { reason }
}

extension StructuralNames {
    /// The name for a new level of an item.
    func newLevelName(_ form: LevelForm) -> String {
        let role = form == .sections || form == .namedSections ? Role.sections : .children
        return self[role].first ?? "Children"
    }

    /// The name for new rows of a section, preferably `Rows`.
    var newRowsName: String {
        let names = self[.children]
        return names.contains("Rows") ? "Rows" : names.first ?? "Rows"
    }

    /// Returns how many sections an item's `SectionKeys` names; nil without `SectionKeys`.
    func listedSections(of item: Item.Step) -> Int? {
        let bytes = item.level.bytes
        let fields = item.level.row(item.row).fields
        for name in self[.sectionKeys] {
            guard let value = PackedDictionary(bytes: bytes.span, fields: fields).value(name),
                bytes[value] == PackedTag.hidden.rawValue,
                let listed = PackedReader(bytes: bytes.span, at: value + 1).elements
            else { continue }
            return listed.count
        }
        return nil
    }
}
