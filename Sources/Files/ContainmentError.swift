/// Why a file of a folder is not opened.
public enum ContainmentError: Error, Sendable, Equatable {
    /// The name is empty, or contains a NUL byte.
    case malformedName
    /// The name is an absolute path.
    case absolute
    /// The name leads out of the folder, by `..` or through a symbolic link.
    case outside
    /// A part of the name, or of the path that its links lead to, begins with a full stop, which is not allowed here.
    case hidden
    /// There is no such file.
    case missing
    /// The name leads to a folder, a device, a FIFO or a socket.
    case notRegular
    /// The folder or the file cannot be opened, with the error number of `open(2)`.
    case unreadable(Int32)
}
