internal import Files
internal import Glibc
internal import Levels
internal import PropertyLists

/// Why a file that a document refers to is not read; the messages name it as the document does, because clients see them.
enum PartRefusal {
    /// Why a file could not be opened.
    static func notOpened(
        _ place: PartPlace, _ error: ContainmentError, _ listings: inout FolderListings
    ) -> SourceError {
        let name = place.reference.path
        let reason =
            switch error {
            case .malformedName: "this is not a path; name a file in the document's folder"
            case .absolute: "the path is absolute; name a file by its path from the document's folder"
            case .outside: "the path leads out of the document's folder; move the file into that folder"
            case .hidden: "a name in the path begins with a full stop; choose another name"
            case .missing: missing(place, &listings)
            case .notRegular: "it is not a file; name a property list file"
            case .unreadable(let code):
                "the file cannot be opened (\(SystemReason.text(code))); give the server permission to read it"
            }
        return SourceError(name, reason)
    }

    private static func missing(_ place: PartPlace, _ listings: inout FolderListings) -> String {
        guard let near = similarName(place, &listings) else {
            return "the file does not exist; name a file that exists in the document's folder"
        }
        guard near.lowercased() == (place.reference.path.pathNames.last ?? "").lowercased() else {
            return "the file does not exist. Did you mean '\(path: near)'?"
        }
        return "the file does not exist, but '\(path: near)' does, whose name differs only in case"
    }

    /// A similar name in the same folder, if that is in the document's folder; only the first missing files of a load have
    /// one.
    private static func similarName(_ place: PartPlace, _ listings: inout FolderListings) -> String? {
        guard listings.takeComparison() else { return nil }
        let folder = PartPlace.folder(of: place.path)
        guard let own = RealPath.existing(folder), let root = RealPath.existing(place.folder) else { return nil }
        guard own == root || own.hasPrefix(root == "/" ? root : root + "/") else { return nil }
        return MissingFile(place.path).nearestName(in: &listings)
    }

    /// Documents without a folder have no parts.
    static func withoutFolder(_ reference: PartReference) -> SourceError {
        SourceError(
            reference.path,
            "only a document that is read from a file can refer to other files; this one has no folder")
    }

    /// The chain of documents that mount each other.
    static func cycle(_ names: [String], at mention: PartMention, in file: String) -> SourceError {
        let chain = names.map { "'\(path: $0)'" }.joined(separator: " mounts ")
        return SourceError(
            file, "a document is mounted below itself: \(chain); remove one Source", at: mention.position,
            path: mention.path)
    }
}
