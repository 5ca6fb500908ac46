import Levels
import PropertyLists
import TreeSources

/// A configuration file: one dictionary whose keys are options (see `Option`).
enum ConfigurationFile {
    /// The values by key, as text.
    ///
    /// - Throws: `UsageError` for an unreadable file, a key that no option has, or a value that is a container.
    static func values(in path: String) throws(UsageError) -> [String: String] {
        let file = PropertyListFile(path: path, shape: .any, treeLimits: TreeLimits(depth: 2, items: 1_000))
        let tree: Tree
        do {
            tree = try file.load(replacing: nil).tree
        } catch {
            throw UsageError(description: "\(error)")
        }
        guard let level = tree.document.child(0), level.form == .entries else {
            throw UsageError(description: "\(path): a configuration is a dictionary of options.")
        }
        var values: [String: String] = [:]
        for row in 0..<level.count {
            let key = level.title(row)
            try checkKey(key, in: path)
            guard level.childCount(row) == 0, let text = text(of: row, in: level) else {
                throw UsageError(
                    description: "\(path): the value of '\(key)' must be a text, a number, or true or false.")
            }
            values[key] = text
        }
        return values
    }

    private static func checkKey(_ key: String, in path: String) throws(UsageError) {
        let known = [Option.source.key] + Option.all.map(\.key).filter { $0 != "Config" }
        guard !known.contains(key) else { return }
        let near = EditDistance.nearest(to: key, among: known).map { " Did you mean '\($0)'?" } ?? ""
        throw UsageError(description: "\(path): there is no option '\(key)'.\(near)")
    }

    private static func text(of row: Int, in level: Level) -> String? {
        let bytes = level.bytes
        var reader = PackedReader(bytes.span, at: level.row(row).fields.lowerBound)
        _ = reader.run()
        switch PackedTag(rawValue: reader.byte()) {
        case .yes: return "true"
        case .no: return "false"
        case .positive: return "\(reader.number())"
        case .negative: return "-\(reader.number())"
        case .string: return String(utf8: bytes.span.extracting(reader.run()))
        default: return nil
        }
    }
}
