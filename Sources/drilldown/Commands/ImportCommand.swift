import DatabaseTrees
import Levels
import PropertyLists
import TreeSources

/// `drilldown import`: puts a document into a database.
enum ImportCommand {
    /// Loads the document, and writes it to the database.
    ///
    /// - Returns: the exit status.
    /// - Throws: `UsageError` unless a source and a database are named.
    static func run(_ settings: Settings) throws(UsageError) -> Int32 {
        guard settings.sources.count == 2 else {
            throw UsageError(
                fact: "import takes a document and a database, not \(settings.sources.count) arguments.",
                hint: "For example: drilldown import Data.plist sqlite:Music.db")
        }
        let target = try settings.target(settings.sources[1])
        var own = settings
        // The password file is for the target. A source that is not in PostgreSQL would refuse it.
        if !DatabaseTree.isPostgres(address: settings.sources[0]) { own.databasePasswordFile = nil }
        let source = try own.document { _ in }
        do throws(SourceError) {
            let loaded = try source.loadDocument()
            for warning in CheckCommand.warnings(loaded, of: source.name) { Log.put(warning, severity: .warning) }
            let (tree, names) = try items(loaded, of: source.name, interpretation: settings.interpretation)
            try target.importDocument(tree, keys: names, replaces: settings.replaces)
            print(PrintableText.line("\(target.name): \(Quantity(count: tree.itemCount, noun: "item"))"))
            return 0
        } catch {
            Log.put("\(error)", severity: .error)
            return 1
        }
    }

    /// Returns the document as a tree of items, and the structural names of the items.
    private static func items(
        _ loaded: LoadedTree, of name: String, interpretation: Interpretation
    ) throws(SourceError) -> (Tree, StructuralNames) {
        guard loaded.tree.kept != nil else {
            return (try alone(loaded, of: name, interpretation: interpretation), loaded.names ?? interpretation.names)
        }
        // Such a document may be one of items with a fault, which must not replace a tree.
        if let refusal = loaded.tree.refusalAsItems {
            throw SourceError(name, reason: "\(refusal); --shape natural puts the document into the database as it is")
        }
        let items = NaturalItems(loaded.tree)
        do throws(PropertyListError) { return (try items.tree(limits: interpretation.treeLimits), items.names) } catch {
            throw SourceError(name, reason: "it cannot be put into a database as items: \(error)")
        }
    }

    /// Returns the document as one tree. The level of a mounted file is at the item that mounts the file.
    private static func alone(
        _ loaded: LoadedTree, of name: String, interpretation: Interpretation
    ) throws(SourceError) -> Tree {
        guard loaded.composition != nil else { return loaded.tree }
        do throws(PropertyListError) {
            let bytes = try loaded.tree.document.written(as: .binary)
            return try interpretation.read(.memory(bytes), as: .binary, pool: nil)
        } catch {
            throw SourceError(name, reason: "its parts cannot be put in place: \(error)")
        }
    }
}
