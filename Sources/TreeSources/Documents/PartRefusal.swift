internal import Files
internal import Glibc
internal import Levels
internal import PropertyLists

/// The messages about parts that are not read. A message names a file as the document does, because clients see the
/// message.
enum PartRefusal {
    /// The error for a file that could not be opened.
    static func notOpened(
        _ place: PartPlace, error: ContainmentError, suggestions: inout SuggestionLimit
    ) -> SourceError {
        let name = place.reference.path
        let reason =
            switch error {
            case .malformedName: "this is not a path; name a file in the document's folder"
            case .absolute: "the path is absolute; name a file by its path from the document's folder"
            case .outside: "the path leads out of the document's folder; move the file into that folder"
            case .hidden: "a name in the path begins with a full stop; choose another name"
            case .missing: missing(place, suggestions: &suggestions)
            case .notRegular: "it is not a file; name a property list file"
            case .unreadable(let code):
                "the file cannot be opened (\(ErrorNumber(code))); give the server permission to read it"
            }
        return SourceError(name, reason: reason)
    }

    private static func missing(_ place: PartPlace, suggestions: inout SuggestionLimit) -> String {
        guard let near = similarName(place, suggestions: &suggestions) else {
            return "the file does not exist; name a file that exists in the document's folder"
        }
        guard near.lowercased() == (place.relativePath.pathNames.last ?? "").lowercased() else {
            return "the file does not exist. Did you mean '\(path: near)'?"
        }
        return "the file does not exist, but '\(path: near)' does, whose name differs only in case"
    }

    /// A similar name in the folder where the file is missing. Nil if that folder is outside the document's folder, and
    /// after the first missing files of a load.
    private static func similarName(_ place: PartPlace, suggestions: inout SuggestionLimit) -> String? {
        guard suggestions.take() else { return nil }
        let folder = place.path.folder
        guard let own = RealPath.existing(folder), let root = RealPath.existing(place.folder) else { return nil }
        guard own == root || own.hasPrefix(root == "/" ? root : root + "/") else { return nil }
        return MissingFile(place.path).nearestName
    }

    /// The error for a reference in a document that was not read from a file, and so lacks a folder.
    static func withoutFolder(_ reference: PartReference) -> SourceError {
        SourceError(
            reference.path,
            reason: "only a document that is read from a file can refer to other files; this one has no folder")
    }

    /// The error for a database that a document must not name.
    static func foreignDatabase(_ address: String) -> SourceError {
        SourceError(
            address,
            reason:
                "only a SQLite file in the document's folder, or a PostgreSQL database on a host that --databases names, can be named here; write sqlite:FILE or postgres://HOST/DATABASE"
        )
    }

    /// The error for a chain of documents that mount each other.
    static func cycle(_ names: [String], at mention: PartMention, in file: String) -> SourceError {
        let chain = names.map { "'\(path: $0)'" }.joined(separator: " mounts ")
        return SourceError(
            file, reason: "a document is mounted below itself: \(chain); remove one Source", at: mention.position,
            path: mention.path)
    }
}

/// The first hundred warnings about a document's parts, and the number of further warnings.
struct PartWarnings {
    private(set) var first: [SourceWarning] = []
    private(set) var omitted = 0

    private static let most = 100

    private mutating func add(_ warning: SourceWarning) {
        if first.count < Self.most { first.append(warning) } else { omitted += 1 }
    }

    /// Adds the warnings of a part's own file.
    mutating func add(_ loaded: LoadedTree) {
        for warning in loaded.warnings { add(warning) }
        omitted += loaded.omittedWarnings
    }

    /// Adds a warning that a part is not served. The warning is at the refusal's position in the part's own file.
    /// Without such a position, it is at the reference.
    ///
    /// - Parameter file: the name of the file that contains the reference.
    mutating func add(_ refusal: SourceError, at mention: PartMention, in file: String) {
        if let position = refusal.position {
            let warning = DocumentWarning(position: position, path: refusal.path ?? "", message: refusal.reason)
            return add(SourceWarning(refusal.name, warning: warning))
        }
        let message = "'\(path: mention.reference.path)' cannot be mounted: \(refusal.reason)"
        add(SourceWarning(file, message: message, at: mention.position ?? .byte(offset: 0), path: mention.path))
    }
}

extension LoadedTree {
    /// The same load with the composed tree, and with the warnings about the parts.
    func composed(as composition: Composition, more: PartWarnings) -> LoadedTree {
        var loaded = self
        loaded.tree = tree.composed(as: composition.document)
        loaded.composition = composition
        let room = max(0, 100 - warnings.count)
        loaded.warnings += more.first.prefix(room)
        loaded.omittedWarnings += more.omitted + more.first.dropFirst(room).count
        return loaded
    }
}

extension Interpretation {
    /// Reads a document that is not in a folder, and therefore cannot have parts. Rows that refer to parts get an
    /// error.
    func loadWithoutParts(
        _ file: borrowing DocumentFile, named name: String, hint: FormatHint? = nil, pool: LevelPool?
    ) throws(SourceError) -> LoadedTree {
        let loaded = try load(file, named: name, hint: hint, pool: pool)
        var parts: [PartReference: Composition.Part] = [:]
        var warnings = PartWarnings()
        for mention in loaded.tree.parts {
            let refusal = PartRefusal.withoutFolder(mention.reference)
            parts[mention.reference] = .refused(refusal.description)
            warnings.add(refusal, at: mention, in: name)
        }
        guard !parts.isEmpty else { return loaded }
        do throws(TreeError) {
            return loaded.composed(
                as: try Composition(source: loaded.tree.document, parts: parts, names: names, limits: treeLimits),
                more: warnings)
        } catch {
            throw SourceError(name, reason: error.description)
        }
    }
}
