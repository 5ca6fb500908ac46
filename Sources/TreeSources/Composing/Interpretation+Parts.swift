internal import Levels
internal import PropertyLists

extension Interpretation {
    /// How a composed document's rows are made, and how large it may be.
    var editor: TreeEditor { TreeEditor(names: names, limits: treeLimits) }

    /// Reads a document that has no folder, and so no parts: their rows say so.
    func loadWithoutParts(
        _ file: borrowing DocumentFile, named name: String, pool: LevelPool?
    ) throws(SourceError) -> LoadedTree {
        let loaded = try load(file, named: name, pool: pool)
        var parts: [PartReference: Composition.Part] = [:]
        var warnings = PartWarnings()
        for mention in loaded.tree.parts {
            let refusal = PartRefusal.withoutFolder(mention.reference)
            parts[mention.reference] = .refused(refusal.description)
            warnings.add(refusal, at: mention, in: name)
        }
        guard !parts.isEmpty else { return loaded }
        do throws(TreeError) {
            return loaded.composed(as: try Composition(loaded.tree.document, parts: parts, editor: editor), warnings)
        } catch {
            throw SourceError(name, error.description)
        }
    }
}
