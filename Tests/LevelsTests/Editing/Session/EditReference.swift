import PropertyLists

@testable import Levels
@testable import TestDocuments

/// A document of one or more files as plain values, and what edits do to it (manual, Editing), by plain code.
struct EditReference {
    /// The documents by their paths; the main document lacks a path.
    var files: [String: EditableDocument]
    let names: StructuralNames
    let syntax: PropertyListSyntax

    /// Why an edit should be refused: any of some kinds.
    struct Refused: Error {
        let kinds: Set<Kind>
        init(_ kinds: Kind...) { self.kinds = Set(kinds) }
        private init(_ kinds: Set<Kind>) { self.kinds = kinds }
        func or(_ kind: Kind) -> Refused { Refused(kinds.union([kind])) }
    }

    enum Kind { case noSuchItem, exists, conflict, badPlace, invalid }

    /// The files composed anew, and the paths of their compositions.
    struct Built {
        let composition: Composition
        fileprivate(set) var paths: [ObjectIdentifier: String]
    }

    /// The document as a builder makes it.
    func built() throws -> Built {
        var paths: [ObjectIdentifier: String] = [:]
        let composition = try composition(of: "", &paths)
        return Built(composition: composition, paths: paths)
    }

    private func composition(of path: String, _ paths: inout [ObjectIdentifier: String]) throws -> Composition {
        let tree = try tree(of: files[path]?.value ?? .array([]))
        var parts: [PartReference: Composition.Part] = [:]
        for mention in tree.parts where files[mention.reference.path] != nil && mention.reference.path != "" {
            parts[mention.reference] = .composed(try composition(of: mention.reference.path, &paths))
        }
        let composition = try Composition(source: tree.document, parts: parts, names: names)
        paths[ObjectIdentifier(composition)] = path
        return composition
    }

    func tree(of value: Value) throws(PropertyListError) -> Tree {
        var builder = TreeBuilder(names: names)
        try value.renamed(names).tell(to: &builder)
        return try builder.finish()
    }

    // MARK: Places

    /// An item in its file.
    struct Place {
        let file: String
        var path: [Int]
        let shown: Item
        var mount: [Int] { Array(shown.rowPath.dropLast(path.count)) }
    }

    func place(_ shown: Item, in built: Built) -> Place {
        let (file, item) = built.composition.origin(of: shown)
        return Place(file: built.paths[ObjectIdentifier(file)] ?? "", path: item.rowPath, shown: shown)
    }

    /// The item whose rows are those below a shown one.
    func owner(_ shown: Item, in built: Built) throws -> Place {
        let (file, item) = built.composition.origin(of: shown)
        guard let reference = item.own.level.part(item.own.row) else { return place(shown, in: built) }
        guard case .composed(let part) = file.parts[reference] else { throw Refused(.conflict) }
        return Place(file: built.paths[ObjectIdentifier(part)] ?? "", path: [], shown: shown)
    }

    func value(_ place: Place) -> Value { files[place.file]?.item(place.path) ?? .array([]) }

    // MARK: Edits of rows

    /// Inserts an item; returns its rows.
    mutating func insert(
        _ item: Value, below shown: Item, at position: RowPosition, section: Int?, in built: Built
    ) throws -> [Int] {
        let owner = try owner(shown, in: built)
        let place = try rowPlace(position, section, owner, without: nil)
        files[owner.file]?.changeRows(below: owner.path) {
            $0.sections[place.section].insert(item.held(by: syntax), at: place.offset)
        }
        return shown.rowPath + [row(place, below: owner)]
    }

    mutating func remove(_ shown: Item, in built: Built) throws {
        let place = place(shown, in: built)
        guard shown.depth > 0 else { throw Refused(.conflict) }
        files[place.file]?.changeRows(below: Array(place.path.dropLast())) { _ = $0.remove(place.path.last ?? 0) }
    }

    mutating func move(
        _ shown: Item, below target: Item, at position: RowPosition, section: Int?, in built: Built
    ) throws -> [Int] {
        guard shown.depth > 0, !target.rowPath.starts(with: shown.rowPath) else { throw Refused(.conflict) }
        let item = place(shown, in: built)
        var owner = try owner(target, in: built)
        guard owner.file == item.file, !owner.path.starts(with: item.path) else { throw Refused(.conflict) }
        let row = item.path.last ?? 0
        let isBeside = owner.path == item.path.dropLast()
        let place = try rowPlace(position, section, owner, without: isBeside ? row : nil)
        let value = value(item)
        let mount = owner.mount
        try remove(shown, in: built)
        let last = item.path.count - 1
        if owner.path.count > last, owner.path.starts(with: item.path.dropLast()), owner.path[last] > row {
            owner.path[last] -= 1
        }
        files[owner.file]?.changeRows(below: owner.path) {
            $0.sections[place.section].insert(value, at: place.offset)
        }
        return mount + owner.path + [self.row(place, below: owner)]
    }

    /// A section, and the number of its rows before a place.
    private struct SectionPlace {
        let section, offset: Int
    }

    private func row(_ place: SectionPlace, below owner: Place) -> Int {
        let sections = EditableDocument.Rows(of: value(owner)).sections
        return sections[..<place.section].reduce(place.offset) { $0 + $1.count }
    }

    private func rowPlace(
        _ position: RowPosition, _ section: Int?, _ owner: Place, without moved: Int?
    ) throws -> SectionPlace {
        let item = value(owner)
        let sections = EditableDocument.Rows(of: item).sections.map(\.count)
        if position != .last, owner.shown.own.order != nil { throw Refused(.conflict) }
        let listed = item.listedSections ?? sections.count
        guard listed > 0 else { throw Refused(.conflict, .badPlace) }
        if let section, !(0..<listed).contains(section) { throw Refused(.badPlace) }
        let starts = sections.indices.map { sections[..<$0].reduce(0, +) }
        func count(_ section: Int) -> Int {
            let isInside = moved.map { $0 >= starts[section] && $0 < starts[section] + sections[section] } ?? false
            return sections[section] - (isInside ? 1 : 0)
        }
        let chosen = section ?? listed - 1
        switch position {
        case .first: return SectionPlace(section: chosen, offset: 0)
        case .last: return SectionPlace(section: chosen, offset: count(chosen))
        case .offset(let offset):
            guard (0...count(chosen)).contains(offset) else { throw Refused(.badPlace) }
            return SectionPlace(section: chosen, offset: offset)
        case .unknown: throw Refused(.badPlace)
        case .before(let key), .after(let key):
            let level = owner.shown.level
            guard let row = (0..<(level?.count ?? 0)).first(where: { level?.key($0) == key }), row != moved,
                let found = sections.indices.last(where: { starts[$0] <= row && sections[$0] > 0 }),
                section == nil || section == found
            else { throw Refused(.conflict) }
            let isBehind = moved.map { $0 >= starts[found] && $0 < row } ?? false
            let isAfter = position == .after(key)
            return SectionPlace(section: found, offset: row - starts[found] + (isAfter ? 1 : 0) - (isBehind ? 1 : 0))
        }
    }
}
