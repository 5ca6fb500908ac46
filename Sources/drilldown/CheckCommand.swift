import Glibc
import Heap
import Levels
import PropertyLists
import TreeSources

/// `drilldown check`: lists the errors and warnings of documents, and what they hold.
enum CheckCommand {
    /// Checks all documents; ends the process with status 0 if all are fine, else with 1.
    ///
    /// - Throws: `UsageError` for an invalid value; nothing has been checked then.
    static func run(_ settings: Settings) throws(UsageError) -> Int32 {
        var settings = settings
        let progress = ProgressDisplay.start(Log(.text).progressStyle)
        settings.progress = progress
        Signals.clearProgressAtEnd()
        var status: Int32 = 0
        var last: LoadedTree?
        for document in try settings.checkedDocuments() {
            do throws(SourceError) {
                let usedBytes = HeapMemory.usedBytes
                let begun = ContinuousClock.now
                let loaded = try load(document, progress)
                let took = ContinuousClock.now - begun
                let cost = DocumentSummary.Cost(bytes: HeapMemory.usedBytes - usedBytes, time: took)
                for warning in warnings(loaded, of: document.name) { Log.put(warning, .warning) }
                for line in DocumentSummary(loaded, of: document.name, cost).lines { print(PrintableText.line(line)) }
                last = loaded
            } catch {
                Log.put("\(error)", .error)
                status = 1
            }
            // Keeps the order of the documents even if both outputs are one pipe.
            fflush(nil)
        }
        // The process ends here; freeing a million items one by one would only take time.
        withExtendedLifetime(last) { exit(status) }
    }

    private static func load(_ document: CheckedDocument, _ progress: LoadProgress?) throws(SourceError) -> LoadedTree {
        progress?.begin()
        defer { progress?.end() }
        return try document.load()
    }

    static func warnings(_ loaded: LoadedTree, of name: String) -> [String] {
        let more = loaded.omittedWarnings
        return loaded.warnings.map(\.description)
            + (more > 0 ? ["\(name): and \(Quantity(more, "more warning"))."] : [])
    }
}
