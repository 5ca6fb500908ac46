import Bytes
import PropertyLists
import TreeSources

/// A configuration file: one dictionary whose keys are options (see `Option`).
enum ConfigurationFile {
    private static let maximumBytes = 1 << 20

    /// Reads the entries, by key. A path that is relative to the file's folder gets that folder as a prefix.
    ///
    /// - Parameter origin: the setting that named the file: `--config` or the variable.
    /// - Throws: `UsageError` for an unreadable file, an unknown or repeated key, or a value that is a container.
    static func entries(in path: String, namedBy origin: String) throws(UsageError) -> [String: Settings.Given] {
        var reader = ConfigurationReader()
        do throws(SourceError) {
            try PropertyListFile(path: path, interpretation: Interpretation(maximumBytes: maximumBytes)).read(
                into: &reader)
        } catch {
            throw UsageError(fact: "configuration (\(origin)): \(error)")
        }
        var entries: [String: Settings.Given] = [:]
        for (key, read) in reader.values {
            let text =
                if read.option.key == Option.source.key {
                    located(source: read.text, besides: path)
                } else if read.option.completion == .file {
                    located(read.text, besides: path)
                } else if read.option.sets(\.listenTargets) {
                    read.text.split(separator: "\n", omittingEmptySubsequences: false).map { text in
                        guard text.hasPrefix(ListenTarget.unixPrefix) else { return String(text) }
                        let socket = String(text.dropFirst(ListenTarget.unixPrefix.count))
                        return ListenTarget.unixPrefix + located(socket, besides: path)
                    }.joined(separator: "\n")
                } else {
                    read.text
                }
            entries[key] = Settings.Given(text: text, origin: .file("\(path):\(read.position)"))
        }
        return entries
    }

    /// Converts the path in the address of a source, if the address has a path.
    private static func located(source: String, besides path: String) -> String {
        guard let prefix = SourceScheme.of(source).pathPrefix else { return source }
        return prefix + located(String(source.dropFirst(prefix.count)), besides: path)
    }

    /// Converts a path in a setting from the configuration's folder to the working directory.
    ///
    /// Empty text, an absolute path, a URL and `-` are returned unchanged.
    private static func located(_ source: String, besides path: String) -> String {
        guard !source.isEmpty, !source.hasPrefix("/"), !source.contains("://"), source != "-",
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        else { return source }
        return path[...slash] + source
    }
}

/// Collects the entries of a configuration while its property list is read.
struct ConfigurationReader: PropertyListConsumer {
    /// A value as text, with its option and the position of its key.
    struct Value {
        let option: Option
        let text: String
        let position: SourcePosition
    }

    /// The values by key.
    private(set) var values: [String: Value] = [:]
    private var isOpen = false
    /// The key whose value comes next.
    private var key: (option: Option, position: SourcePosition)?
    /// The texts of the current array so far; nil outside an array.
    private var list: [String]?

    /// Keys of documents that are not options. They show that a document is named as the configuration by mistake.
    private static let documentKeys: Set = ["Rows", "Children", "Sections", "Title", "Records", "PreferenceSpecifiers"]

    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        guard isOpen else {
            isOpen = true
            return
        }
        throw unfit(at: position)
    }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        let name = String(utf8: name)
        if let first = values[name] {
            throw PropertyListError(
                reason: "the key '\(name)' appears more than once, first at \(first.position); keep one of them",
                at: position)
        }
        let known = [Option.source] + Option.all.filter { !$0.sets(\.configuration) }
        guard let option = known.first(where: { $0.key == name }) else {
            throw Self.unknown(name, among: known.map(\.key), at: position)
        }
        key = (option, position)
    }

    private static func unknown(_ name: String, among known: [String], at position: SourcePosition) -> PropertyListError
    {
        if documentKeys.contains(name) {
            return PropertyListError(
                reason: "'\(name)' is a key of a document, not of a configuration; name a document without --config",
                at: position)
        }
        let near = EditDistance.nearest(to: name, among: known).map { ". Did you mean '\($0)'?" }
        return PropertyListError(
            reason: "'\(quoted: name)' is not an option" + (near ?? "; 'drilldown serve --help' lists the options"),
            at: position)
    }

    private var unfit: PropertyListError { unfit(at: nil) }

    private func unfit(at position: SourcePosition?) -> PropertyListError {
        guard let key else {
            return PropertyListError(
                reason: "a configuration is a dictionary whose keys are options, as in Config/drilldown.plist",
                at: position)
        }
        return PropertyListError(
            reason: "the value of '\(key.option.key)' must be a text, a whole number, or true or false",
            at: key.position)
    }

    private mutating func take(_ text: String) throws(PropertyListError) {
        guard let key else { throw unfit }
        if list != nil {
            list?.append(text)
            return
        }
        values[key.option.key] = Value(option: key.option, text: text, position: key.position)
        self.key = nil
    }

    mutating func endDictionary() {}
    mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        guard let key, list == nil, key.option.mayRepeat else { throw unfit(at: position) }
        list = []
    }

    mutating func endArray() throws(PropertyListError) {
        guard let texts = list.take() else { throw unfit }
        try take(texts.joined(separator: "\n"))
    }

    mutating func string(_ text: Span<UInt8>) throws(PropertyListError) { try take(String(utf8: text)) }
    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) { throw unfit }

    mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        switch value {
        case .integer(let number): try take("\(number)")
        case .boolean(let value): try take(value ? "true" : "false")
        case .real, .date, .uid: throw unfit
        }
    }
}
