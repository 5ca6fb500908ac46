import Glibc
import Levels
import TreeSources

/// `drilldown check`: tells a document's errors and warnings.
enum CheckCommand {
    /// - Returns: the exit status: 0 fine, 1 refused.
    /// - Throws: `UsageError` for a value that is none.
    static func run(_ settings: Settings) throws(UsageError) -> Int32 {
        let document = try settings.document()
        let loaded: LoadedTree
        do {
            loaded = try document.load(replacing: nil)
        } catch {
            Log.put("\(error)\n")
            return 1
        }
        for warning in loaded.warnings { Log.put("\(warning)\n") }
        if loaded.omittedWarnings > 0 { Log.put("\(document.name): and \(loaded.omittedWarnings) more warnings.\n") }
        let count = loaded.warnings.count + loaded.omittedWarnings
        print("\(document.name): \(loaded.tree.itemCount) items, \(count) warnings")
        // The process ends here: to free a million items one by one would only take time.
        withExtendedLifetime(loaded) { exit(0) }
    }
}
