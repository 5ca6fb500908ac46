/// Which dictionary keys are structure: the names of each role, the first present one counting.
public struct StructuralNames: Sendable, Equatable {
    /// What a structural key means.
    public enum Role: String, CaseIterable, Sendable {
        case title, key, children, sections, sectionKeys, sectionTitles
    }

    private var names: [Role: [String]] = [
        .title: ["Title"], .key: ["Key"], .children: ["Children", "Rows"], .sections: ["Sections"],
        .sectionKeys: ["SectionKeys"], .sectionTitles: ["SectionTitles"],
    ]

    /// The names of API.md: `Title`, `Key`, `Children` or `Rows`, `Sections`, `SectionKeys`, `SectionTitles`.
    public init() {}

    /// Maps roles to other names, as `title=name|group,children=entries`; roles that are not named stay.
    ///
    /// - Throws: `StructuralNamesError` for an unknown role, a missing name, or one name in two roles.
    public init(mapping text: String) throws(StructuralNamesError) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let role = sides.first.flatMap({ Role(rawValue: String($0)) }) else {
                throw StructuralNamesError(
                    reason: "'\(sides.first ?? "")' is not a role; the roles are "
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
                throw StructuralNamesError(reason: "'\(name)' stands for two roles; each name can have one")
            }
        }
    }

    /// The names of a role, the strongest first.
    public subscript(role: Role) -> [String] { names[role] ?? [] }
}

/// Why a mapping of structural names cannot be used.
public struct StructuralNamesError: Error, Equatable, Sendable, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }
}
