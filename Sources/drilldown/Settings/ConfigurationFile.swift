import Bytes
import PropertyLists
import TreeSources

/// A configuration file: one dictionary whose keys are options (see `Option`).
enum ConfigurationFile {
    /// The option's value as text, and where its key is, as `Config/drilldown.plist:12:3`.
    struct Entry: Equatable {
        let value: String
        let place: String
    }

    private static let maximumBytes = 1 << 20
    /// The keys whose values are paths.
    private static let paths: Set = [
        "Source", "Cache", "Values", "EditTokenFile", "ReadTokenFile", "TlsCertificate", "TlsKey",
    ]

    /// The entries by key; relative paths, which are relative to the file's folder, are prefixed with that folder.
    ///
    /// - Parameter origin: the setting that named the file: `--config` or the variable.
    /// - Throws: `UsageError` for an unreadable file, an unknown or repeated key, or a
    ///   value that is a container.
    static func entries(in path: String, namedBy origin: String) throws(UsageError) -> [String: Entry] {
        var reader = ConfigurationReader()
        do throws(SourceError) {
            try PropertyListFile(path: path, maximumBytes: maximumBytes).read(into: &reader)
        } catch {
            throw UsageError("configuration (\(origin)): \(error)")
        }
        var entries: [String: Entry] = [:]
        for (key, read) in reader.values {
            let isPath = paths.contains(key)
            let unix = ListenTarget.unixPrefix
            let value =
                if key == "Listen" {
                    read.text.split(separator: "\n", omittingEmptySubsequences: false).map { text in
                        text.hasPrefix(unix)
                            ? unix + located(String(text.dropFirst(unix.count)), besides: path) : String(text)
                    }.joined(separator: "\n")
                } else {
                    isPath ? located(read.text, besides: path) : read.text
                }
            entries[key] = Entry(value: value, place: "\(path):\(read.position)")
        }
        return entries
    }

    /// A path as seen from the working directory.
    private static func located(_ source: String, besides path: String) -> String {
        guard !source.isEmpty, !source.hasPrefix("/"), !source.contains("://"), source != "-",
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        else { return source }
        return path[...slash] + source
    }
}

/// Collects the entries of a configuration while its property list is read.
struct ConfigurationReader: PropertyListConsumer {
    /// A value as text, and the position of its key.
    struct Value {
        let text: String
        let position: SourcePosition
    }

    private(set) var values: [String: Value] = [:]
    private var isOpen = false
    /// The key whose value comes next.
    private var key: (name: String, position: SourcePosition)?
    /// The texts of an array so far; nil outside of one.
    private var list: [String]?

    /// Keys that a configuration never has and that documents begin with.
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
                "the key '\(name)' appears more than once, first at \(first.position); keep one of them", at: position)
        }
        let known = [Option.source.key] + Option.all.map(\.key).filter { $0 != "Config" }
        guard known.contains(name) else { throw Self.unknown(name, among: known, at: position) }
        key = (name, position)
    }

    private static func unknown(_ name: String, among known: [String], at position: SourcePosition) -> PropertyListError
    {
        if documentKeys.contains(name) {
            return PropertyListError(
                "'\(name)' is a key of a document, not of a configuration; name a document without --config",
                at: position)
        }
        let near = EditDistance.nearest(to: name, among: known).map { ". Did you mean '\($0)'?" }
        return PropertyListError(
            "'\(quoted: name)' is not an option" + (near ?? "; 'drilldown serve --help' lists the options"),
            at: position)
    }

    private var unfit: PropertyListError { unfit(at: nil) }

    private func unfit(at position: SourcePosition?) -> PropertyListError {
        guard let key else {
            return PropertyListError(
                "a configuration is a dictionary whose keys are options, as in Config/drilldown.plist", at: position)
        }
        return PropertyListError(
            "the value of '\(key.name)' must be a text, a whole number, or true or false", at: key.position)
    }

    private mutating func take(_ text: String) throws(PropertyListError) {
        guard let key else { throw unfit }
        if list != nil {
            list?.append(text)
            return
        }
        values[key.name] = Value(text: text, position: key.position)
        self.key = nil
    }

    mutating func endDictionary() {}
    mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        guard let key, list == nil, Option.all.contains(where: { $0.key == key.name && $0.mayRepeat }) else {
            throw unfit(at: position)
        }
        list = []
    }

    mutating func endArray() throws(PropertyListError) {
        guard let texts = list.take() else { throw unfit }
        try take(texts.joined(separator: "\n"))
    }

    mutating func string(_ text: Span<UInt8>) throws(PropertyListError) { try take(String(utf8: text)) }
    mutating func integer(_ value: PropertyListInteger) throws(PropertyListError) { try take("\(value)") }
    mutating func boolean(_ value: Bool) throws(PropertyListError) { try take(value ? "true" : "false") }
    mutating func real(_ value: Double) throws(PropertyListError) { throw unfit }
    mutating func date(_ seconds: Double) throws(PropertyListError) { throw unfit }
    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) { throw unfit }
    mutating func uid(_ value: UInt64) throws(PropertyListError) { throw unfit }
}
