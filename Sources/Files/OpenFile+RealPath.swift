internal import Glibc

extension OpenFile {
    /// The path of the file without symbolic links, as the kernel tells it (`/proc/self/fd`, proc_pid_fd(5)).
    public func realPath() throws(ContainmentError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlink("/proc/self/fd/\(descriptor)", &bytes, bytes.count)
        guard count >= 0 else { throw .unreadable(errno) }
        return String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
