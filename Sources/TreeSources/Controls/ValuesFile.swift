internal import Glibc
internal import PropertyLists

/// A values document: the property list that has the values of a settings page's controls, by their keys.
struct ValuesFile {
    /// As the user gave it.
    let path: String
    private let limits: PropertyListLimits
    let maximumBytes: Int
    /// The permissions of a new file.
    let newMode: mode_t
    /// Makes steps of a save fail in tests.
    var fault: FileReplacement.Fault = { _, _ in nil }

    /// How often a file that changes while it is being read is read again.
    private static let attempts = 4

    /// - Parameter page: the settings page, whose limits apply.
    init(path: String, besides page: PropertyListFile) {
        self.path = path
        limits = page.propertyListLimits
        maximumBytes = page.maximumBytes
        // Only a change tells what it was; nothing makes files in between before the service runs.
        let mask = umask(0o022)
        _ = umask(mask)
        newMode = 0o644 & ~mask
    }

    /// Reads the file; without one, nothing is stored.
    ///
    /// - Throws: `SourceError` if it is not a property list with a dictionary.
    func load() throws(SourceError) -> StoredValues {
        for _ in 0..<Self.attempts {
            if isMissing { return StoredValues() }
            let file = try DocumentFile.open(path: path, maximumBytes: maximumBytes)
            let outcome = read(file)
            if file.isUnchanged() { return try outcome.get() }
        }
        throw SourceError(
            path,
            "the file changed while it was being read, \(Self.attempts) times in a row; it will be read when it stops changing"
        )
    }

    private var isMissing: Bool {
        var status = stat()
        return unsafe stat(path, &status) != 0 && errno == ENOENT
    }

    private func read(_ file: borrowing DocumentFile) -> Result<StoredValues, SourceError> {
        do throws(PropertyListError) {
            var reader = StoredValuesReader()
            let syntax = try SyntaxCheck.syntax(of: file.head())
            try syntax.read(file.input, limits: limits, into: &reader)
            return .success(
                StoredValues(
                    values: reader.values, positions: reader.positions, syntax: syntax, identity: file.identity))
        } catch {
            return .failure(SourceError(path, error))
        }
    }
}
