internal import Files
internal import Glibc
public import Levels
internal import PropertyLists

/// A document from standard input. The input is read once, to its end, and cannot be watched.
public struct StandardInput: TreeSource {
    /// The name in errors and warnings, as compilers write it.
    public let name = "<stdin>"

    private let interpretation: Interpretation
    private let descriptor: Int32

    private static let pieceBytes = 64 << 10

    /// - Parameter descriptor: an open descriptor to read instead of standard input; the caller keeps ownership.
    public init(interpretation: Interpretation, descriptor: Int32 = 0) {
        self.interpretation = interpretation
        self.descriptor = descriptor
    }

    /// Reads the document through a temporary file, because the readers need random access.
    ///
    /// - Throws: `SourceError` if the input cannot be read or stored, or is refused.
    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        let file: TemporaryFile
        do throws(ErrorNumber) {
            file = try TemporaryFile()
        } catch {
            throw notKept(error)
        }
        interpretation.progress?.beginFetch(name, bytes: nil)
        try copy(to: file)
        return try interpretation.loadWithoutParts(file.document(), named: name, pool: old.map { LevelPool($0) })
    }

    private func copy(to file: borrowing TemporaryFile) throws(SourceError) {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
        defer { unsafe piece.deallocate() }
        var size = 0
        while true {
            let count = unsafe Glibc.read(descriptor, piece.baseAddress, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw SourceError(name, reason: "standard input cannot be read: \(ErrorNumber(errno))")
            }
            guard count > 0 else { break }
            size += count
            interpretation.progress?.counts.add(bytes: count)
            guard size <= interpretation.maximumBytes else { throw tooLarge }
            do throws(ErrorNumber) {
                try unsafe file.append(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            } catch {
                throw notKept(error)
            }
        }
        guard size > 0 else {
            throw SourceError(name, reason: "standard input is empty; it must contain a property list")
        }
    }

    private var tooLarge: SourceError {
        SourceError(
            name,
            reason:
                "standard input has more than \(Quantity(count: interpretation.maximumBytes, noun: "byte")); split the document, or raise MaxDocumentBytes"
        )
    }

    private func notKept(_ error: ErrorNumber) -> SourceError {
        SourceError(
            name,
            reason:
                "standard input cannot be stored in \(TemporaryFile.folder) (\(error)); name another folder in TMPDIR"
        )
    }
}
