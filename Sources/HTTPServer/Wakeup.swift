import Glibc

/// Lets one thread wait for another, or for a time to pass: the one owner of a pair of sockets.
struct Wakeup: ~Copyable, Sendable {
    private let reading: Int32
    private let writing: Int32

    init() throws(ServerError) {
        var ends: (Int32, Int32) = (-1, -1)
        let outcome = unsafe withUnsafeMutableBytes(of: &ends) {
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            return unsafe socketpair(AF_UNIX, type, 0, $0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard outcome == 0 else { throw .system("socketpair", errno: errno) }
        (reading, writing) = ends
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Wakes the one that waits, or the next that will.
    func signal() {
        var byte: UInt8 = 1
        // A full buffer wakes as well.
        _ = unsafe write(writing, &byte, 1)
    }

    /// Returns at a signal, or after this many milliseconds.
    func wait(milliseconds: Int64) {
        var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, Int32(clamping: max(milliseconds, 0))) > 0 else { return }
        unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) {
            _ = unsafe read(reading, $0.baseAddress, $0.count)
        }
    }
}
