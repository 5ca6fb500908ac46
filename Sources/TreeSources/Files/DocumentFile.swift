internal import Files
internal import Glibc
internal import PropertyLists

/// An open document: a readable regular file of an allowed size.
struct DocumentFile: ~Copyable {
    /// The descriptor, for system calls. This value owns it.
    let descriptor: Int32
    /// The identity of the file when it was opened.
    let identity: FileIdentity

    /// Opens a file without blocking, even if it is a FIFO.
    ///
    /// - Parameter folder: the open folder in which `path` is a name, which must not be that of a symbolic link; nil for
    ///   a path whose links are followed.
    /// - Throws: `SourceError` if the file is not a regular file, cannot be read, is empty or is too large.
    static func open(path: String, in folder: Int32? = nil, maximumBytes: Int) throws(SourceError) -> DocumentFile {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (folder == nil ? 0 : O_NOFOLLOW)
        let descriptor = unsafe openat(folder ?? AT_FDCWD, path, flags)
        guard descriptor >= 0 else { throw FileRefusal.notOpened(path, code: errno) }
        var status = stat()
        let failure = unsafe fstat(descriptor, &status) == 0 ? 0 : errno
        let file = DocumentFile(descriptor: descriptor, identity: FileIdentity(status))
        guard failure == 0 else { throw FileRefusal.notOpened(path, code: failure) }
        if let refusal = FileRefusal.ofKind(status.st_mode, path: path) { throw refusal }
        if let refusal = FileRefusal.ofSize(file.identity.size, limit: maximumBytes, path: path) { throw refusal }
        return file
    }

    private init(descriptor: Int32, identity: FileIdentity) {
        self.descriptor = descriptor
        self.identity = identity
    }

    /// Takes ownership of an open descriptor of a regular file.
    init(takingOver descriptor: Int32) {
        var status = stat()
        _ = unsafe fstat(descriptor, &status)
        self.init(descriptor: descriptor, identity: FileIdentity(status))
    }

    deinit { _ = close(descriptor) }

    /// The bytes of the file, as the input of a reader.
    var input: DocumentInput { .file(descriptor: descriptor, size: identity.size) }

    /// Whether the content is unchanged since the file was opened.
    func isUnchanged() -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && FileIdentity(status).isSameContent(as: identity)
    }

    /// Reads the file at a path. If the file changes meanwhile, reads it again.
    ///
    /// - Parameter body: reads the file. Its result is used only if the file has not changed meanwhile.
    static func read<Value>(
        path: String, maximumBytes: Int, _ body: (borrowing DocumentFile) -> Result<Value, SourceError>
    ) throws(SourceError) -> Value {
        for _ in 0..<FileRefusal.attempts {
            let file = try open(path: path, maximumBytes: maximumBytes)
            let outcome = body(file)
            if file.isUnchanged() { return try outcome.get() }
        }
        throw FileRefusal.changing(path)
    }

    /// Whether the file is small compared with the free space of the file system.
    var isSmallBesideFreeSpace: Bool {
        var space = statvfs()
        guard unsafe fstatvfs(descriptor, &space) == 0 else { return false }
        let free = space.f_bavail.multipliedReportingOverflow(by: space.f_frsize)
        return free.overflow || free.partialValue / 16 > identity.size + (4 << 20)
    }

    /// Hands the descriptor over to the caller, which must close it.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// The number of bytes at the beginning of a document that are enough to detect its syntax.
    static let headBytes = 4_096

    /// The first bytes of the document.
    func head() throws(PropertyListError) -> [UInt8] { try input.bytes(first: Self.headBytes) }

    /// All bytes of a small document.
    func bytes() throws(PropertyListError) -> [UInt8] { try input.bytes(first: identity.size) }
}

extension DocumentInput {
    /// At most this number of bytes, from the beginning.
    func bytes(first count: Int) throws(PropertyListError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var taken = 0
        var failure: PropertyListError?
        unsafe bytes.withUnsafeMutableBytes { buffer in
            do throws(PropertyListError) { taken = try unsafe read(at: 0, into: buffer) } catch { failure = error }
        }
        if let failure { throw failure }
        bytes.removeSubrange(taken...)
        return bytes
    }
}

/// A file without a name. The system deletes the file when it is closed, even if the process is killed.
struct TemporaryFile: ~Copyable {
    private let descriptor: Int32

    /// Creates a file in the folder that `TMPDIR` names, or in `/tmp` if this variable is not set.
    ///
    /// - Throws: `ErrorNumber` if the file cannot be created.
    init() throws(ErrorNumber) {
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
        throw ErrorNumber(errno)
    }

    deinit { _ = close(descriptor) }

    /// The folder of temporary files.
    static var folder: String {
        guard let name = unsafe getenv("TMPDIR"), unsafe name.pointee != 0 else { return "/tmp" }
        return unsafe String(cString: name)
    }

    /// Appends bytes.
    ///
    /// - Throws: `ErrorNumber` if the bytes cannot be written (`write(2)`).
    func append(_ bytes: UnsafeRawBufferPointer) throws(ErrorNumber) {
        guard unsafe bytes.writeAll(to: descriptor) else { throw ErrorNumber(errno) }
    }

    /// The file as a document, to be read from its beginning.
    consuming func document() -> DocumentFile {
        let descriptor = descriptor
        discard self
        return DocumentFile(takingOver: descriptor)
    }
}

extension UnsafeRawBufferPointer {
    /// Writes all bytes, in as many calls as necessary. Returns false, with `errno` set, if a call fails.
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
