internal import Glibc

/// Reserves descriptors, so that a load finds some free when connections use all others.
struct DescriptorReserve: ~Copyable {
    private var held: [Int32] = []
    private let count: Int

    /// - Parameter count: how many to reserve, beginning with the first `refill`.
    init(count: Int) { self.count = count }

    deinit { for descriptor in held { _ = close(descriptor) } }

    /// Closes them before a load.
    mutating func release() {
        for descriptor in held { _ = close(descriptor) }
        held.removeAll(keepingCapacity: true)
    }

    /// Opens them before the first load and after each, as far as the limit allows.
    ///
    /// - Parameter open: a descriptor that stays open. Another one of the same file costs a tenth of a new socket; without
    ///   any (-1), they are unconnected sockets, which need no file, not even a device.
    mutating func refill(like open: Int32) {
        while held.count < count {
            var descriptor = fcntl(open, F_DUPFD_CLOEXEC, 0)
            if descriptor < 0, errno == EBADF {
                descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            }
            guard descriptor >= 0 else { return }
            held.append(descriptor)
        }
    }
}
