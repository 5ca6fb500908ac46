internal import Files
internal import Glibc
internal import PropertyLists

/// A copy of a remote document on disk, which is served at the next start.
///
/// A label, which is a file with the suffix `.origin` beside the copy, describes the copy.
struct DocumentCopy {
    let path: String
    /// The document's URL.
    let origin: String
    let maximumBytes: Int

    /// An existing copy.
    struct Found: ~Copyable {
        let file: DocumentFile
        /// The media type of the copied document; nil if it is unknown.
        let mediaType: String?
        /// The validators of the copied document. If they are unknown, the value is empty, and the request is
        /// unconditional.
        let validators: Validators
    }

    // MARK: Reading

    /// Opens the copy, if it exists.
    ///
    /// - Throws: `SourceError` if the copy cannot be read, or belongs to another document.
    func find() throws(SourceError) -> Found? {
        guard unsafe access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        let file = try DocumentFile.open(path: path, maximumBytes: maximumBytes)
        guard let label = label(), label.isOf(file.identity) else {
            return Found(file: file, mediaType: nil, validators: .init())
        }
        guard label.origin == origin else {
            throw SourceError(
                path, reason: "it is a copy of \(path: label.origin); name another file for this document")
        }
        return Found(file: file, mediaType: label.mediaType, validators: label.validators)
    }

    private var labelPath: String { path + ".origin" }

    /// The label beside the copy; nil if the label does not exist or cannot be read.
    private func label() -> CopyLabel? {
        do {
            let bytes = try DocumentFile.open(path: labelPath, maximumBytes: 8_000).head()
            return CopyLabel(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            return nil
        }
    }

    // MARK: Writing

    /// Stores a document in place of the previous copy.
    ///
    /// - Throws: `SourceError` if the copy or its label cannot be written. If the copy cannot be written, the previous
    ///   copy is kept.
    func keep(_ document: FetchedDocument) throws(SourceError) {
        do throws(FileReplacementError) {
            let identity = try replace(path, with: document.file.input)
            let label = CopyLabel(
                origin: origin, mediaType: document.mediaType, validators: document.validators, of: identity)
            _ = try replace(labelPath, with: .memory(Array(label.text.utf8)))
        } catch {
            throw SourceError(
                path,
                reason:
                    "the copy of the document cannot be stored here: \(ErrorNumber(error.code)); free some space, or name another file in Cache"
            )
        }
    }

    private func replace(_ path: String, with input: DocumentInput) throws(FileReplacementError) -> FileIdentity {
        // Only the owner may read the copy, because the origin may have required credentials.
        let path = RealPath.ofNew(path)
        var file = try FileReplacement.begin(of: path, through: path + ".new", mode: 0o600)
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var offset = 0
        while offset < input.size {
            let taken = unsafe piece.withUnsafeMutableBytes { buffer in
                unsafe Self.read(input, at: offset, into: buffer)
            }
            guard taken > 0 else { throw FileReplacementError(step: .write, code: EIO, path: path) }
            try file.append(piece.span.extracting(..<taken))
            offset += taken
        }
        return try file.commit()
    }

    /// Reads bytes into a buffer. Returns the number of bytes, or 0 if the document has become unreadable.
    private static func read(
        _ input: DocumentInput, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        do {
            return try unsafe input.read(at: offset, into: buffer)
        } catch {
            return 0
        }
    }
}

/// The label of a copy: the origin, the media type and validators of its response, and the size and time of the copy's file.
struct CopyLabel: Equatable {
    let origin: String
    let mediaType: String?
    let validators: Validators
    /// The size of the copy in bytes.
    let size: Int
    /// The time at which the copy was written, in nanoseconds since 1970.
    let modified: Int64

    init(origin: String, mediaType: String?, validators: Validators, of file: FileIdentity) {
        self.origin = origin
        self.mediaType = mediaType
        self.validators = validators
        size = file.size
        modified = file.modified
    }

    /// Whether the label was written for a file. The result is false if another file has replaced the copy.
    func isOf(_ file: FileIdentity) -> Bool { file.size == size && file.modified == modified }

    // MARK: As text, one line for each value

    private static let heading = "drilldown copy 2"

    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 8, lines[0] == Self.heading, let size = Int(lines[4]), let modified = Int64(lines[5])
        else {
            return nil
        }
        origin = lines[1]
        validators = Validators(
            entityTag: lines[2].isEmpty ? nil : lines[2], lastModified: lines[3].isEmpty ? nil : lines[3])
        self.size = size
        self.modified = modified
        mediaType = lines[6].isEmpty ? nil : lines[6]
    }

    var text: String {
        let lines = [
            Self.heading, origin, validators.entityTag ?? "", validators.lastModified ?? "", "\(size)", "\(modified)",
            mediaType ?? "",
        ]
        return lines.map { $0 + "\n" }.joined()
    }
}
