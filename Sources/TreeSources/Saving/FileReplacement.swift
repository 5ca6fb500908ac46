internal import CFiles
internal import Files
internal import Glibc
internal import Levels
internal import PropertyLists

/// Replaces the content of a file durably.
///
/// At any moment, even after a power failure, the file's name refers to the whole old content or to the whole new
/// content. Once `commit` has returned, it refers to the new content for good.
///
/// The new content is written to another file in the same folder. This file is synced and renamed over the old file,
/// and then the folder is synced. Without a commit, and after a failed commit, the other file is removed. If the path
/// is a symbolic link, the link itself is replaced; to replace the file at its end, resolve the path first.
///
/// The folder is opened once, and all names are names in the open folder. So all steps concern the same folder, even if
/// its path leads to another folder meanwhile.
struct FileReplacement: ~Copyable {
    /// The steps of a replacement, each of which can fail.
    enum Step: Sendable, CaseIterable {
        case create, setMode, write, setAttributes, sync, rename, exchange, verify, restore, syncFolder, syncUndo,
            remove
    }

    /// A hook for tests, which sees each system call and its step before the call is made.
    ///
    /// Returns the error number with which the call must fail, or nil to make the call.
    typealias Fault = @Sendable (Step, SystemCall) -> Int32?

    let descriptor: Int32
    let folder: OpenFolder
    /// The paths of the two files, for messages.
    let path, aside: String
    let fault: Fault
    /// Whether the other file must not be removed, because it has been renamed or must stay.
    var isRenamed = false

    /// Begins a replacement with an empty file.
    ///
    /// - Parameters:
    ///   - path: the file to replace; it need not exist. The path of its folder must be absolute, and is not followed
    ///     through a symbolic link.
    ///   - aside: the path of the other file, in the same folder. Always use the same `aside` for a `path`, so that the
    ///     remains of a killed process are removed. An unrelated file at this path would be removed, too.
    ///   - mode: the permissions of the new file.
    /// - Throws: `FileReplacementError` if the other file cannot be created, or if another process is writing to it.
    static func begin(
        of path: String, through aside: String, mode: mode_t, fault: @escaping Fault = { _, _ in nil }
    ) throws(FileReplacementError) -> FileReplacement {
        let folder: OpenFolder
        do throws(ContainmentError) {
            folder = try OpenFolder(path: path.folder)
        } catch {
            let code = if case .unreadable(let code) = error { code } else { ENOENT }
            throw FileReplacementError(step: .create, code: code, path: aside)
        }
        let (call, parent) = (SystemCall.create(aside.lastName), folder.descriptor)
        let descriptor = make(.create, call: call, fault: fault) { call.make(in: parent) }
        guard descriptor >= 0 else { throw FileReplacementError(step: .create, code: errno, path: aside) }
        let file = FileReplacement(descriptor: descriptor, folder: folder, path: path, aside: aside, fault: fault)
        try file.attempt(.setMode, path: aside, call: .setMode(descriptor, mode))
        return file
    }

    deinit {
        if !isRenamed { _ = unsafe unlinkat(folder.descriptor, aside.lastName, 0) }
        _ = close(descriptor)
    }

    /// Appends bytes to the new content.
    ///
    /// - Throws: `FileReplacementError` if the bytes cannot be written; the old file is unchanged.
    mutating func append(_ bytes: Span<UInt8>) throws(FileReplacementError) {
        try attempt(.write, path: aside, call: .write(descriptor, count: bytes.count)) {
            unsafe bytes.withUnsafeBytes { unsafe $0.writeAll(to: descriptor) } ? 0 : -1
        }
    }

    /// Puts the new content in place of the old content, and returns when the new content is on disk.
    ///
    /// - Returns: the identity of the new file.
    /// - Throws: `FileReplacementError`. The old file is unchanged, unless `isUnknown` is true.
    mutating func commit() throws(FileReplacementError) -> FileIdentity {
        try syncContent()
        return try rename()
    }

    /// Writes the new content to disk, before the content gets its name.
    func syncContent() throws(FileReplacementError) { try attempt(.sync, path: aside, call: .fsync(descriptor)) }

    /// Renames the other file, whose content is on disk, and returns when the new name is on disk, too.
    ///
    /// After the renaming, the old file is gone. So the renaming cannot be undone if the sync of the folder fails.
    mutating func rename() throws(FileReplacementError) -> FileIdentity {
        let written = FileIdentity(ofOpen: descriptor)
        try attempt(.rename, path: path, call: .rename(aside.lastName, to: path.lastName))
        isRenamed = true
        do throws(FileReplacementError) { try syncFolder() } catch { throw error.withUnknownOutcome }
        return state(since: written)
    }

    /// Returns the present identity of the new file, because the renaming has changed the time of its attributes.
    ///
    /// - Parameter written: the identity before the renaming. It is returned if another program has changed the content
    ///   meanwhile; a later comparison with the file then shows the change.
    func state(since written: FileIdentity) -> FileIdentity {
        let now = FileIdentity(ofOpen: descriptor)
        return now.isSameContent(as: written) ? now : written
    }

    // MARK: The steps

    /// Makes a system call of a step.
    @discardableResult
    func attempt(_ step: Step, path: String, call: SystemCall) throws(FileReplacementError) -> Int32 {
        try attempt(step, path: path, call: call) { call.make(in: folder.descriptor) }
    }

    /// Makes a system call of a step.
    ///
    /// - Parameter perform: makes the call, if that needs more than the parameters in `call`.
    @discardableResult
    func attempt(
        _ step: Step, path: String, call: SystemCall, by perform: () -> Int32
    ) throws(FileReplacementError) -> Int32 {
        let result = Self.make(step, call: call, fault: fault, by: perform)
        guard result >= 0 else { throw FileReplacementError(step: step, code: errno, path: path) }
        return result
    }

    /// Makes a system call of a step. If the call fails, returns a negative number, and leaves the reason in `errno`.
    func make(_ step: Step, call: SystemCall) -> Int32 {
        Self.make(step, call: call, fault: fault) { call.make(in: folder.descriptor) }
    }

    private static func make(_ step: Step, call: SystemCall, fault: Fault, by perform: () -> Int32) -> Int32 {
        guard let code = fault(step, call) else { return perform() }
        errno = code
        return -1
    }

    /// Creates the other file, after removing the remains of a killed process.
    ///
    /// The remains are not overwritten, because the file may also have other names. The new file is locked, so that two
    /// processes do not write to it at the same time.
    static func create(_ aside: String, in folder: Int32) -> Int32 {
        while true {
            let made = unsafe openat(folder, aside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if made >= 0 {
                if isFree(made, named: aside, in: folder) { return made }
                // Before the file was locked, another process mistook it for remains.
                _ = close(made)
            } else if errno != EEXIST || removeRemains(named: aside, in: folder) != 0 {
                return -1
            }
        }
    }

    static func isStill(_ descriptor: Int32, named name: String, in folder: Int32) -> Bool {
        FileIdentity(named: name, in: folder)?.isSameFile(as: FileIdentity(ofOpen: descriptor)) == true
    }

    /// The folder of a path, as a path.
    static func folder(of path: String) -> String {
        path.lastSlash.map { String(path[..<path.utf8.index(after: $0)]) } ?? "./"
    }
}

/// The other file of an edited document, and the remains of killed processes.
extension FileReplacement {
    /// Begins to replace an edited file with an empty file; the other file has the name from `editPath`.
    static func begin(editing path: String, mode: mode_t, fault: @escaping Fault) throws(SaveError) -> FileReplacement {
        do throws(FileReplacementError) {
            return try begin(of: path, through: editPath(of: path), mode: mode, fault: fault)
        } catch {
            throw SaveError(error)
        }
    }

    /// The path through which an edited file is replaced: a hidden name in the same folder, always the same for a path.
    ///
    /// The name consists of a full stop, the file's own name and an ending. If this exceeds the maximum length of a
    /// name (`NAME_MAX`), the file's own name is cut, and a hash follows it.
    static func editPath(of path: String) -> String {
        (path.lastSlash == nil ? "" : folder(of: path)) + "." + shortened(path.lastName) + editEnding
    }

    private static let editEnding = ".drilldown-edit"
    /// The longest name that every usual file system takes, in bytes.
    private static let longestName = 255

    private static func shortened(_ name: String) -> String {
        let room = longestName - 1 - editEnding.utf8.count
        guard name.utf8.count > room else { return name }
        let hash = String(ContentHash.short(of: Array(name.utf8).span), radix: 36)
        var start = Substring(name)
        while start.utf8.count > room - hash.utf8.count - 1 { start.removeLast() }
        return "\(start)~\(hash)"
    }

    /// Removes the remains of a save by a killed process, unless the edited file is outside of `container`.
    static func removeRemains(ofEdited path: String, within container: String? = nil) {
        let target = RealPath.existing(path) ?? RealPath.ofNew(path)
        if let container = container.map(RealPath.of), container != "/", !target.hasPrefix(container + "/") { return }
        do throws(ContainmentError) {
            let folder = try OpenFolder(path: target.folder)
            _ = removeRemains(named: editPath(of: target).lastName, in: folder.descriptor)
        } catch {
            // The folder has just been replaced or removed, or cannot be read.
            return
        }
    }

    /// Removes the other file of a killed process, if it exists.
    ///
    /// - Returns: 0, or -1 if the file cannot be removed. `errno` then has the reason; `EWOULDBLOCK` means that a
    ///   living process is writing to the file.
    static func removeRemains(named aside: String, in folder: Int32) -> Int32 {
        let opened = unsafe openat(folder, aside, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return errno == ENOENT ? 0 : -1 }
        var isRemoved = flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
        // If the file has lost its name, another process has removed or renamed it.
        if isRemoved, isStill(opened, named: aside, in: folder) { isRemoved = unsafe unlinkat(folder, aside, 0) == 0 }
        let code = errno
        _ = close(opened)
        errno = code
        return isRemoved ? 0 : -1
    }

    /// Locks a file. Returns whether the file still has its name, and no other process has locked it.
    static func isFree(_ opened: Int32, named aside: String, in folder: Int32) -> Bool {
        // A file system without locks fails with another error number.
        (flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && isStill(opened, named: aside, in: folder)
    }
}

/// A system call of a replacement, as a value, so that a test sees the calls with their parameters and order. Texts are
/// names in the folder of the replaced file.
enum SystemCall: Equatable, Sendable {
    case create(String)
    case setMode(Int32, mode_t)
    case write(Int32, count: Int)
    case copyAttributes(from: Int32, to: Int32)
    case fsync(Int32)
    case rename(String, to: String)
    case exchange(String, String)
    case moveToFree(String, to: String)
    case look(String)
    case unlink(String)

    /// Makes the call.
    ///
    /// - Returns: a negative number, with `errno` set, if the call fails. The calls `write`, `copyAttributes` and
    ///   `look` need more than the parameters of this value: the result is 0, and the caller does the work.
    func make(in folder: Int32) -> Int32 {
        switch self {
        case .create(let name): FileReplacement.create(name, in: folder)
        case .setMode(let descriptor, let mode): fchmod(descriptor, mode)
        case .fsync(let descriptor): Glibc.fsync(descriptor)
        case .rename(let old, let new): unsafe renameat(folder, old, folder, new)
        case .exchange(let one, let other): unsafe renameat2(folder, one, folder, other, UInt32(RENAME_EXCHANGE))
        case .moveToFree(let old, let new): unsafe renameat2(folder, old, folder, new, UInt32(RENAME_NOREPLACE))
        case .unlink(let name): unsafe unlinkat(folder, name, 0)
        case .write, .copyAttributes, .look: 0
        }
    }
}

/// The error for a file that could not be replaced: the step that failed, the error number, and the file or folder
/// concerned.
struct FileReplacementError: Error, Equatable {
    let step: FileReplacement.Step
    /// The error number (`errno(3)`), such as `ENOSPC`.
    let code: Int32
    let path: String
    /// Whether it is unknown which content the file has after a power failure: the old or the new content.
    var isUnknown = false

    var withUnknownOutcome: FileReplacementError {
        FileReplacementError(step: step, code: code, path: path, isUnknown: true)
    }
}

extension FileReplacementError: CustomStringConvertible {
    /// `/srv/Data.plist.new cannot be written: No space left on device`, without the final full stop.
    var description: String {
        let place = "\(path: path)"
        let reason = ErrorNumber(code)
        return switch step {
        case .create: "\(place) cannot be created: \(reason)"
        case .setMode: "the permissions of \(place) cannot be set: \(reason)"
        case .write: "\(place) cannot be written: \(reason)"
        case .sync: "\(place) cannot be written to disk: \(reason)"
        case .setAttributes: "the owner, permissions and attributes of \(place) cannot be set: \(reason)"
        case .rename, .exchange, .verify: "\(place) cannot be replaced: \(reason)"
        case .restore:
            "\(place) was saved by another program, too; its content is kept in a hidden file beside it: \(reason)"
        case .remove: "\(place) cannot be removed: \(reason)"
        case .syncFolder, .syncUndo:
            "the folder \(place) cannot be written to disk: \(reason)"
                + (isUnknown ? "; it is not known whether the new content outlasts a power failure" : "")
        }
    }
}

extension SaveError {
    /// The outcome for the client whose edit failed in this step.
    init(_ error: FileReplacementError) {
        switch error.code {
        case _ where error.isUnknown: self = .unknown(error.description)
        case ENOSPC, EDQUOT: self = .noSpace(error.description)
        case EROFS: self = .unwritable(.readOnlyFileSystem)
        case EACCES, EPERM: self = .unwritable(error.step == .create ? .readOnlyFolder : .readOnlyFile)
        // Another process of this program is saving the file, or the folder was replaced.
        case EWOULDBLOCK where error.step == .create, ENOENT where error.step == .create: self = .changedMeanwhile
        default: self = .failed(error.description)
        }
    }
}
