internal import Bytes
internal import Files
internal import Glibc
internal import PropertyLists

/// A values document: a property list with the values of a settings page's controls, by key.
struct ValuesFile {
    /// The path that the user gave.
    let path: String
    private let limits: PropertyListLimits
    let maximumBytes: Int
    /// The permissions of a new file.
    let newMode: mode_t
    /// Makes steps of a save fail in tests.
    var fault: FileReplacement.Fault = { _, _ in nil }

    /// - Parameter interpretation: the interpretation of the settings page; its limits apply to the values document,
    ///   too.
    init(path: String, besides interpretation: Interpretation) {
        self.path = path
        limits = interpretation.propertyListLimits
        maximumBytes = interpretation.maximumBytes
        // The mask can be read only by setting it. No file is created between the two calls, because the service is not
        // running yet.
        let mask = umask(0o022)
        _ = umask(mask)
        newMode = 0o644 & ~mask
    }

    /// Reads the file. A missing file means that no values are stored.
    ///
    /// - Throws: `SourceError` if the file is not a property list with a dictionary.
    func load() throws(SourceError) -> StoredValues {
        isMissing ? StoredValues() : try DocumentFile.read(path: path, maximumBytes: maximumBytes, read)
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
            return .failure(SourceError(path, error: error))
        }
    }
}

extension ValuesFile {
    /// Replaces all values, and returns when the new values are on disk. Creates the file if it is missing.
    ///
    /// - Parameters:
    ///   - new: all values.
    ///   - old: the values when the file was last read.
    /// - Returns: the new values, as a load would return them.
    /// - Throws: `SaveError`. Except for `SaveError.unknown`, the file is unchanged.
    func save(
        _ new: PropertyListDictionary, over old: StoredValues, worker: SaveWorker
    ) throws(SaveError) -> StoredValues {
        var saved = old
        saved.values = new
        saved.syntax = old.syntax ?? .xml
        saved.identity = try old.identity == nil ? make(holding: new) : replace(old, by: new, worker: worker)
        return saved
    }

    private func replace(
        _ old: StoredValues, by new: PropertyListDictionary, worker: SaveWorker
    ) throws(SaveError) -> FileIdentity {
        guard let target = RealPath.existing(path) else { throw .changedMeanwhile }
        var file = try FileReplacement.begin(editing: target, mode: 0o600, fault: fault)
        let original = try DocumentFile.open(
            path: target, in: file.folder, maximumBytes: maximumBytes, unchangedSince: old.identity)
        do throws(SaveError) {
            try write(new, over: old, in: .memory(try bytes(of: original)), to: &file)
        } catch {
            // The original probably changed while it was copied.
            throw original.isUnchanged() ? error : .changedMeanwhile
        }
        let identity = try file.commit(replacing: original, worker: worker)
        worker.close(replaced: original)
        return identity
    }

    /// The old content. It is read before anything is written, so that an error of the disk is not mistaken for an
    /// error in the new values.
    private func bytes(of original: borrowing DocumentFile) throws(SaveError) -> [UInt8] {
        do throws(PropertyListError) {
            return try original.bytes()
        } catch {
            throw .failed("\(path: path) cannot be read: \(error.reason)")
        }
    }

    /// Creates the file, with the usual permissions.
    private func make(holding new: PropertyListDictionary) throws(SaveError) -> FileIdentity {
        var file = try FileReplacement.begin(editing: RealPath.ofNew(path), mode: newMode, fault: fault)
        try write(new, over: StoredValues(), in: nil, to: &file)
        return try file.commitAsNew()
    }

    private func write(
        _ new: PropertyListDictionary, over old: StoredValues, in input: DocumentInput?, to file: inout FileReplacement
    ) throws(SaveError) {
        let splice = DictionarySplice(old: old.values, new: new)
        do throws(SpliceError<FileReplacementError>) {
            try splice.write(input, syntax: old.syntax ?? .xml) { (bytes) throws(FileReplacementError) in
                try file.append(bytes)
            }
        } catch {
            switch error {
            case .sink(let failure): throw SaveError(failure)
            case .document(let fault):
                throw .unwritable(SaveRefusal("the values document cannot hold the value, because \(fault.reason)"))
            }
        }
    }

    /// Removes the remains of a save by a killed process.
    func removeRemains() { FileReplacement.removeRemains(ofEdited: path) }

    /// The reason why no value can be stored in the file now; nil if values can be stored.
    var refusal: SaveRefusal? {
        guard let target = RealPath.existing(path) else {
            if FileIdentity(named: path) != nil { return .danglingValues }
            let folder = FileReplacement.folder(of: path)
            return FileIdentity(path: folder) == nil ? .missingValuesFolder : Self.refusal(ofFolder: folder)
        }
        // Root may write to any file. But if nobody has permission to write to a file, the file is meant to stay as it
        // is.
        guard let mode = FileIdentity(path: target)?.mode, mode & 0o222 != 0 else { return .readOnlyValues }
        return FileAccess.denial(of: W_OK, to: target, usual: .readOnlyValues)
            ?? Self.refusal(ofFolder: FileReplacement.folder(of: target))
    }

    private static func refusal(ofFolder folder: String) -> SaveRefusal? {
        FileAccess.denial(of: R_OK | W_OK | X_OK, to: folder, usual: .readOnlyValuesFolder)
    }
}

extension SaveRefusal {
    static let noValues = SaveRefusal(
        "the values of these controls are not stored anywhere; start the server with --values FILE")
    fileprivate static let danglingValues = SaveRefusal(
        "the values document is a symbolic link to a file that does not exist; point it at a file")
    fileprivate static let missingValuesFolder = SaveRefusal(
        "the folder of the values document does not exist; make it, then repeat the edit")
    fileprivate static let readOnlyValues = SaveRefusal(
        "the values document is read-only; give the server permission to write to it")
    fileprivate static let readOnlyValuesFolder = SaveRefusal(
        "the folder of the values document is read-only, and saving creates a new file there; give the server permission to write to it"
    )
}

/// The content of a values document.
struct StoredValues {
    /// The values by key.
    var values = PropertyListDictionary()
    /// The position of each key in the file.
    var positions: [String: SourcePosition] = [:]
    /// The syntax of the file; nil if the file does not exist.
    var syntax: PropertyListSyntax?
    /// The identity of the file when it was read; nil if the file does not exist.
    var identity: FileIdentity?

    /// The fingerprint of the file.
    var fingerprint: Fingerprint { identity.map(Fingerprint.init) ?? .missing }
}

/// Reads a values document, which is a dictionary.
struct StoredValuesReader: PropertyListConsumer {
    private var builder = PropertyListValueBuilder()
    private var depth = 0
    private(set) var positions: [String: SourcePosition] = [:]

    /// The entries of the dictionary.
    var values: PropertyListDictionary {
        if case .dictionary(let values) = builder.value { values } else { PropertyListDictionary() }
    }

    /// - Throws: `PropertyListError` if the document is not a dictionary.
    private func checkIsInside(at position: SourcePosition? = nil) throws(PropertyListError) {
        guard depth == 0 else { return }
        throw PropertyListError(
            reason: "a values document must be a dictionary of values by the controls' keys", at: position)
    }

    mutating func beginDictionary(at position: SourcePosition) {
        depth += 1
        builder.beginDictionary(at: position)
    }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {
        if depth == 1 { positions[String(utf8: name)] = position }
        builder.key(name, at: position)
    }

    mutating func endDictionary() {
        depth -= 1
        builder.endDictionary()
    }

    mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        try checkIsInside(at: position)
        depth += 1
        builder.beginArray(at: position)
    }

    mutating func endArray() {
        depth -= 1
        builder.endArray()
    }

    mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        try checkIsInside()
        builder.string(text)
    }

    mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        try checkIsInside()
        builder.scalar(value)
    }

    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        try checkIsInside()
        builder.data(bytes)
    }

}
