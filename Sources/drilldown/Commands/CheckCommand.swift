import Bytes
import DatabaseTables
import Glibc
import Heap
import Levels
import PropertyLists
import TreeSources

/// `drilldown check`: lists the errors and warnings of documents, and summarises their content.
enum CheckCommand {
    /// Checks all documents, and ends the process. The status is 1 if a document is refused, otherwise 0.
    ///
    /// - Throws: `UsageError` for an invalid command line, before any document is checked.
    static func run(_ settings: Settings) throws(UsageError) -> Int32 {
        var settings = settings
        let progress = ProgressDisplay.start(Log(format: .text).progressStyle)
        settings.interpretation.progress = progress
        Signals.clearProgressAtEnd()
        var status: Int32 = 0
        var last: LoadedTree?
        for document in try settings.checkedDocuments() {
            do throws(SourceError) {
                let usedBytes = HeapMemory.usedBytes
                let begun = ContinuousClock.now
                let loaded = try load(document, progress: progress)
                let took = ContinuousClock.now - begun
                let cost = DocumentSummary.Cost(bytes: HeapMemory.usedBytes - usedBytes, time: took)
                for warning in warnings(loaded, of: document.name) { Log.put(warning, severity: .warning) }
                for line in DocumentSummary(loaded: loaded, of: document.name, cost: cost).lines {
                    print(PrintableText.line(line))
                }
                last = loaded
            } catch {
                Log.put("\(error)", severity: .error)
                status = 1
            }
            // Keeps the lines in the order of the documents, even if both outputs go to the same pipe.
            fflush(nil)
        }
        // The tree is not freed before the process ends, because freeing a million items one by one takes time.
        withExtendedLifetime(last) { exit(status) }
    }

    private static func load(_ document: any TreeSource, progress: LoadProgress?) throws(SourceError) -> LoadedTree {
        progress?.begin()
        defer { progress?.end() }
        return try document.load(replacing: nil)
    }

    static func warnings(_ loaded: LoadedTree, of name: String) -> [String] {
        let more = loaded.omittedWarnings
        return loaded.warnings.map(\.description)
            + (more > 0 ? ["\(name): and \(Quantity(count: more, noun: "more warning"))."] : [])
    }
}

/// The summary that `check` prints for a document without errors.
struct DocumentSummary {
    /// The cost of the load.
    struct Cost {
        /// The growth of the heap: the memory that the document takes while it is served.
        let bytes: Int
        let time: Duration
    }

    private let name: String
    private let loaded: LoadedTree
    private let cost: Cost

    init(loaded: LoadedTree, of name: String, cost: Cost) {
        (self.loaded, self.name, self.cost) = (loaded, name, cost)
    }

    /// The lines of the summary. The last line, with the numbers of items and warnings, is for programs.
    var lines: [String] {
        if let tables = loaded.rows as? TableRows { return lines(of: tables) }
        return ["\(name): \(levels), \(memory), loaded in \(time)", "\(name): deepest at \(deepestPath)"] + advice
            + reading
            + [verdict]
    }

    /// The lines for the tables of a database: one for each table, and how many they are.
    private func lines(of rows: TableRows) -> [String] {
        do throws(RowRefusal) {
            let tables = try rows.overview()
            let table = TextTable(
                heads: ["table", "records", "key", "title", "refers to", "no index for"],
                rows: tables.map { table in
                    [
                        table.name, table.count, table.key.joined(separator: ", "), table.title.joined(separator: ", "),
                        table.references.joined(separator: ", "), table.unindexed.joined(separator: ", "),
                    ]
                })
            return (tables.isEmpty ? [] : table.lines)
                + ["\(name): \(Quantity(count: tables.count, noun: "table")), \(warnings)"]
        } catch {
            return ["\(name): \(error.sentence)"]
        }
    }

    private var reading: [String] { loaded.tree.reading.map { ["\(name): \($0)"] } ?? [] }

    /// The advice for a large binary document, because each edit writes the whole file. Empty for other documents.
    private var advice: [String] {
        guard loaded.syntax == .binary, loaded.tree.itemCount >= 100_000 else { return [] }
        return ["\(name): an edit writes a binary document anew; XML or JSON is faster to edit at this size"]
    }

    private var verdict: String { "\(name): \(Quantity(count: loaded.tree.itemCount, noun: "item")), \(warnings)" }

    private var warnings: Quantity {
        Quantity(count: loaded.warnings.count + loaded.omittedWarnings, noun: "warning")
    }

    private var levels: String { "\(Quantity(count: loaded.tree.deepestLevel.depth + 1, noun: "level"))" }

    /// The path of the first of the deepest levels, to paste after the service's address. The middle of a very deep
    /// path and the end of a long key become `…`.
    private var deepestPath: String {
        let keys = loaded.tree.deepestLevel.steps.dropFirst().map { step in Self.encoded(step.level.key(step.row)) }
        let half = Self.mostKeys / 2
        let shown = keys.count > Self.mostKeys ? keys.prefix(half) + ["…"] + keys.suffix(half) : keys[...]
        return "/levels/" + shown.joined(separator: "/")
    }

    private static let mostKeys = 12
    private static let mostCharacters = 100

    private static func encoded(_ key: String) -> String {
        let isLong = key.unicodeScalars.count > mostCharacters
        var path = ByteBuffer(capacity: 128)
        PercentEncoding.append(Array((isLong ? String(key.prefix(mostCharacters)) : key).utf8).span, to: &path)
        return String(utf8: path.span) + (isLong ? "…" : "")
    }

    /// The memory in kB or MB, in units of 1,000 as for disks and networks.
    private var memory: String {
        let bytes = max(cost.bytes, 0)
        return bytes < 10_000_000 ? "\((bytes + 999) / 1_000) kB of memory" : "\(bytes / 1_000_000) MB of memory"
    }

    private var time: String {
        let tenths = Int(cost.time / .microseconds(100))
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
