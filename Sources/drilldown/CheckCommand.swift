import Glibc
import Levels
import PropertyLists
import TreeSources

/// `drilldown check`: lists the errors and warnings of documents.
enum CheckCommand {
    /// Checks all documents; ends the process with status 0 if all are fine, else with 1.
    ///
    /// - Throws: `UsageError` for an invalid value; nothing has been checked then.
    static func run(_ settings: Settings) throws(UsageError) -> Int32 {
        var status: Int32 = 0
        var last: LoadedTree?
        for document in try settings.checkedDocuments() {
            do throws(SourceError) {
                let loaded = try document.load()
                warnings(loaded, of: document.name).forEach(Log.put)
                print(PrintableText.line(summary(loaded, of: document.name)))
                last = loaded
            } catch {
                Log.put("\(error)")
                status = 1
            }
            // Keeps the order of the documents even if both outputs are one pipe.
            fflush(nil)
        }
        // The process ends here; freeing a million items one by one would only take time.
        withExtendedLifetime(last) { exit(status) }
    }

    static func summary(_ loaded: LoadedTree, of name: String) -> String {
        let warnings = loaded.warnings.count + loaded.omittedWarnings
        return "\(name): \(Quantity(loaded.tree.itemCount, "item")), \(Quantity(warnings, "warning"))"
    }

    static func warnings(_ loaded: LoadedTree, of name: String) -> [String] {
        let more = loaded.omittedWarnings
        return loaded.warnings.map(\.description)
            + (more > 0 ? ["\(name): and \(Quantity(more, "more warning"))."] : [])
    }
}
