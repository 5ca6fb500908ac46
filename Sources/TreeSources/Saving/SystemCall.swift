internal import Glibc

/// A system call of a replacement. It is a value, so that a test sees what is called, with what, and in which order.
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
    case openFolder(String)
    case unlink(String)

    /// Makes the call.
    ///
    /// - Returns: a negative number, with its `errno`, if it fails. It is 0 for what needs more than the value has: the
    ///   caller writes, copies attributes, or looks at a file.
    func make() -> Int32 {
        switch self {
        case .create(let path): FileReplacement.create(path)
        case .setMode(let descriptor, let mode): fchmod(descriptor, mode)
        case .fsync(let descriptor): Glibc.fsync(descriptor)
        case .rename(let old, let new): unsafe Glibc.rename(old, new)
        case .exchange(let one, let other): FileNames.exchange(one, other)
        case .moveToFree(let old, let new): FileNames.moveToFree(old, new)
        case .openFolder(let path): unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        case .unlink(let path): unsafe Glibc.unlink(path)
        case .write, .copyAttributes, .look: 0
        }
    }
}
