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
