internal import Levels
internal import PropertyLists

/// A document that a client sends in place of the whole old one, after the checks of a load.
struct SentDocument {
    let syntax: PropertyListSyntax
    let tree: Tree

    /// - Parameter old: shares its levels.
    /// - Throws: `EditRefusal` if a load would refuse the bytes.
    init(_ bytes: [UInt8], replacing old: LoadedTree, of file: PropertyListFile) throws(EditRefusal) {
        if bytes.count > file.maximumBytes {
            throw EditRefusal(
                .invalid(pointer: nil),
                "The document has \(Quantity(bytes.count, "byte")) and the limit is \(file.maximumBytes).")
        }
        do throws(PropertyListError) {
            syntax = try SyntaxCheck.syntax(of: Array(bytes.prefix(4_096)))
            tree = try file.interpretation.readOrAdvise(
                .memory(bytes), as: syntax, pool: LevelPool(old.tree.document))
        } catch {
            throw Self.refusal(error)
        }
        if SettingsPage(tree) != nil {
            throw EditRefusal(
                .invalid(pointer: nil), "A settings page cannot replace the document; send a document of items.")
        }
        if let path = tree.document.levelBesideSource {
            throw EditRefusal(
                .invalid(pointer: nil),
                "\(path) has a Source and its own rows, as in a document that shows its mounts in place; leave out the rows, as GET /document?inline=false does."
            )
        }
    }

    private static func refusal(_ error: PropertyListError) -> EditRefusal {
        if error.isOutOfMemory { return .outOfMemory }
        let place =
            switch error.position {
            case .text(let line, let column): "Line \(line), column \(column): "
            case .byte(let offset): "Byte \(offset): "
            case nil: ""
            }
        let reason = place.isEmpty ? error.reason.prefix(1).uppercased() + error.reason.dropFirst() : error.reason
        return EditRefusal(.invalid(pointer: nil), place + reason + (error.reason.hasSuffix("?") ? "" : "."))
    }
}
