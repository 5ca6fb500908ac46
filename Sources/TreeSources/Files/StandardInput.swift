internal import Glibc
internal import PropertyLists

/// A document from standard input, which is read to its end once.
public struct StandardInput: Sendable {
    /// What errors and warnings call it, as compilers do.
    public static let name = "<stdin>"

    private let interpretation: Interpretation
    private let maximumBytes: Int
    private let descriptor: Int32

    private static let pieceBytes = 64 << 10

    /// - Parameters:
    ///   - maximumBytes: a longer document is refused.
    ///   - descriptor: an open descriptor that is read in place of standard input; it stays the caller's.
    public init(interpretation: Interpretation, maximumBytes: Int, descriptor: Int32 = 0) {
        self.interpretation = interpretation
        self.maximumBytes = maximumBytes
        self.descriptor = descriptor
    }

    /// Reads the document by way of a temporary file, since the readers need any offset of it.
    ///
    /// - Throws: `SourceError` if it cannot be read or kept, or is refused.
    public func load() throws(SourceError) -> LoadedTree {
        let file: TemporaryFile
        do throws(SystemFailure) {
            file = try TemporaryFile()
        } catch {
            throw Self.notKept(error)
        }
        try copy(to: file)
        return try interpretation.load(file.document(), named: Self.name, pool: nil)
    }

    private func copy(to file: borrowing TemporaryFile) throws(SourceError) {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
        defer { unsafe piece.deallocate() }
        var size = 0
        while true {
            let count = unsafe Glibc.read(descriptor, piece.baseAddress, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw SourceError(Self.name, "standard input cannot be read: \(SystemReason.text(errno))")
            }
            guard count > 0 else { break }
            size += count
            guard size <= maximumBytes else { throw tooLarge }
            do throws(SystemFailure) {
                try unsafe file.append(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            } catch {
                throw Self.notKept(error)
            }
        }
        guard size > 0 else { throw SourceError(Self.name, "standard input is empty; it must contain a property list") }
    }

    private var tooLarge: SourceError {
        SourceError(
            Self.name,
            "standard input has more than \(Quantity(maximumBytes, "byte")); split the document, or raise MaxDocumentBytes"
        )
    }

    private static func notKept(_ failure: SystemFailure) -> SourceError {
        SourceError(
            name,
            "standard input cannot be stored in \(failure.path) (\(SystemReason.text(failure.code))); name another folder in TMPDIR"
        )
    }
}
