internal import Glibc

/// A file without a name, which is deleted when it is closed, even if the process is killed.
struct TemporaryFile: ~Copyable {
    private let descriptor: Int32

    /// Creates a file in the folder that `TMPDIR` names, else in `/tmp`.
    ///
    /// - Throws: `SystemFailure` if it cannot be created there.
    init() throws(SystemFailure) {
        let folder = Self.folder
        for _ in 0..<100 {
            let path = "\(folder)/drilldown-\(UInt64.random(in: 0 ... .max))"
            let opened = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if opened >= 0 {
                _ = unsafe unlink(path)
                descriptor = opened
                return
            }
            guard errno == EEXIST else { break }
        }
        throw SystemFailure(code: errno, path: folder)
    }

    deinit { _ = close(descriptor) }

    private static var folder: String {
        guard let name = unsafe getenv("TMPDIR"), unsafe name.pointee != 0 else { return "/tmp" }
        return unsafe String(cString: name)
    }

    /// Appends bytes.
    ///
    /// - Throws: `SystemFailure` if they cannot be written (`write`).
    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) {
        guard unsafe bytes.writeAll(to: descriptor) else { throw SystemFailure(code: errno, path: Self.folder) }
    }

    /// The file as a document, to be read from its beginning.
    consuming func document() -> DocumentFile {
        let descriptor = descriptor
        discard self
        return DocumentFile(takingOver: descriptor)
    }
}

extension UnsafeRawBufferPointer {
    /// Writes all bytes, in as many calls as necessary; false if one fails, with its `errno`.
    func writeAll(to descriptor: Int32) -> Bool {
        var written = 0
        while written < count {
            let taken = unsafe write(descriptor, baseAddress?.advanced(by: written), count - written)
            if taken >= 0 {
                written += taken
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
