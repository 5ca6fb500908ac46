internal import CFiles
internal import Files
internal import Glibc

/// Replaces the content of a file durably: at any moment, even after a power failure, its name refers to the whole old
/// content or to the whole new one, and to the new one for good once `commit` has returned.
///
/// The new content is written to another file in the same folder, synced, and renamed over the old file; then the
/// folder is synced. Without a commit, and after a failed one, the other file is removed. A symbolic link is replaced
/// itself; to replace the file at its end, resolve the path first.
struct FileReplacement: ~Copyable {
    /// The steps of a replacement, each of which can fail.
    enum Step: Sendable, CaseIterable {
        case create, setMode, write, setAttributes, sync, rename, exchange, verify, restore, syncFolder
    }

    /// The permissions of the new file.
    enum Mode: Sendable {
        case fixed(mode_t)
        /// Those of the file that is replaced; if there is none, these.
        case kept(orElse: mode_t)
    }

    /// Makes steps fail in tests: returns the error number for a step, or nil to perform it.
    typealias Fault = @Sendable (Step) -> Int32?

    let descriptor: Int32
    let path, aside: String
    let fault: Fault
    /// Whether the file system keeps the order of changes; nil to ask the system.
    var keepsOrder: Bool?
    /// Whether the other file is no longer there, or must stay.
    var isRenamed = false
    /// How many bytes were appended, and how many of them the system was told to write to disk.
    private var written = 0, started = 0

    /// After how many bytes the system is told to write them to disk.
    private static let startBytes = 8 << 20

    /// Begins a replacement with an empty file.
    ///
    /// - Parameters:
    ///   - path: the file to replace; it need not exist.
    ///   - aside: the path of the other file, in the same folder. If it is always the same for one `path`, the remains of
    ///     a killed process are overwritten. An unrelated file at this path would be overwritten, too.
    ///   - mode: the permissions of the new file.
    /// - Throws: `FileReplacementError` if the other file cannot be created, or another process is writing it.
    static func begin(
        of path: String, through aside: String, mode: Mode, fault: @escaping Fault = { _ in nil }
    ) throws(FileReplacementError) -> FileReplacement {
        let descriptor = try attempt(.create, aside, fault) { create(aside) }
        let file = FileReplacement(descriptor: descriptor, path: path, aside: aside, fault: fault)
        try file.attempt(.setMode, aside) { fchmod(descriptor, bits(of: mode, path)) }
        return file
    }

    private init(descriptor: Int32, path: String, aside: String, fault: @escaping Fault) {
        self.descriptor = descriptor
        self.path = path
        self.aside = aside
        self.fault = fault
    }

    deinit {
        if !isRenamed { _ = unsafe unlink(aside) }
        _ = close(descriptor)
    }

    /// Appends bytes to the new content.
    ///
    /// The system begins to write a large content to disk early, so that the final sync has little to wait for, and few
    /// pages of memory wait for the disk (`sync_file_range(2)`).
    ///
    /// - Throws: `FileReplacementError` if they cannot be written; the old file is unchanged.
    mutating func append(_ bytes: Span<UInt8>) throws(FileReplacementError) {
        try attempt(.write, aside) {
            unsafe bytes.withUnsafeBytes { unsafe $0.writeAll(to: descriptor) } ? 0 : -1
        }
        written += bytes.count
        if written - started >= Self.startBytes { startWriting() }
    }

    /// Has the system begin to write the content to disk.
    mutating func startWriting() {
        // A failure costs nothing but time: what counts is the final sync.
        _ = sync_file_range(descriptor, started, written - started, UInt32(SYNC_FILE_RANGE_WRITE))
        started = written
    }

    /// Puts the new content in place of the old, and returns when it is on disk.
    ///
    /// - Returns: the state of the new file.
    /// - Throws: `FileReplacementError`. The old file is unchanged, unless `isReplaced` is true.
    mutating func commit() throws(FileReplacementError) -> FileIdentity {
        try attempt(.sync, aside) { fsync(descriptor) }
        return try rename()
    }

    /// Renames the other file, which is on disk, and returns when its name is there, too.
    mutating func rename() throws(FileReplacementError) -> FileIdentity {
        let written = FileIdentity(ofOpen: descriptor)
        try attempt(.rename, path) { unsafe Glibc.rename(aside, path) }
        isRenamed = true
        try attempt(.syncFolder, Self.folder(of: path)) { Self.syncFolder(of: path) }
        return state(since: written)
    }

    /// The state of the new file, now that it has its name.
    ///
    /// Renaming changes the time at which the attributes were last changed. If somebody has written into the file since
    /// it has the name, the result is its state before that, so that the file is found to be another one.
    func state(since written: FileIdentity) -> FileIdentity {
        let now = FileIdentity(ofOpen: descriptor)
        return now.isSameContent(as: written) ? now : written
    }

    // MARK: The steps

    @discardableResult
    func attempt(_ step: Step, _ path: String, _ call: () -> Int32) throws(FileReplacementError) -> Int32 {
        try Self.attempt(step, path, fault, call)
    }

    /// Performs a step.
    ///
    /// - Parameter call: returns a negative number, with its `errno`, if it fails.
    private static func attempt(
        _ step: Step, _ path: String, _ fault: Fault, _ call: () -> Int32
    ) throws(FileReplacementError) -> Int32 {
        if let code = fault(step) { throw FileReplacementError(step: step, code: code, path: path) }
        let result = call()
        guard result >= 0 else { throw FileReplacementError(step: step, code: errno, path: path) }
        return result
    }

    /// Creates the other file, after removing the remains of a killed process.
    ///
    /// The remains are not overwritten, because they may be a file that has other names, too. The file is locked, so
    /// that two processes do not write to it at once.
    private static func create(_ aside: String) -> Int32 {
        while true {
            let made = unsafe open(aside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if made >= 0 {
                if isFree(made, at: aside) { return made }
                // Another process took it for remains before it was locked.
                _ = close(made)
            } else if errno != EEXIST || removeRemains(at: aside) != 0 {
                return -1
            }
        }
    }

    static func isStill(_ descriptor: Int32, at path: String) -> Bool {
        var (own, named) = (stat(), stat())
        return unsafe fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    private static func bits(of mode: Mode, _ path: String) -> mode_t {
        switch mode {
        case .fixed(let mode): return mode
        case .kept(let mode):
            var status = stat()
            return unsafe stat(path, &status) == 0 ? status.st_mode & 0o7777 : mode
        }
    }

    /// The folder of a path, as a path.
    static func folder(of path: String) -> String {
        path.lastSlash.map { String(path[..<path.utf8.index(after: $0)]) } ?? "./"
    }

    /// The new name is on disk only when the folder is.
    static func syncFolder(of path: String) -> Int32 {
        let opened = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return -1 }
        defer { _ = close(opened) }
        // Some file systems have nothing to sync in a folder, and say so.
        return fsync(opened) == 0 || errno == EINVAL ? 0 : -1
    }
}
