import CEpoll
import Glibc
import Threads

/// Waits for hang-ups on many sockets, for a signal, or for a time to pass; the sole owner of an epoll instance.
///
/// Each watched socket belongs to an object, which must exist until the socket is removed.
@safe
struct EpollSet<Owner: AnyObject>: ~Copyable, Sendable {
    private let descriptor: Int32
    private let bell: Wakeup

    init() throws(ServerError) {
        let bell = try ServerError.wrapping { () throws(SystemCallError) in try Wakeup() }
        let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .system("epoll_create1", errno: errno) }
        self.descriptor = descriptor
        self.bell = bell
        // The bell's token is nil, so it differs from the token of every object. The bell is edge-triggered, so it need
        // not be reset.
        unsafe add(bell.descriptor, events: EPOLLIN.rawValue | EPOLLET.rawValue, token: nil)
    }

    deinit { close(descriptor) }

    /// Watches a socket for the hang-up of its peer, and also for input if `orInput` is true. Reports the socket once.
    ///
    /// If the system lacks memory for the entry, a hang-up is noticed only when the connection wakes.
    func add(_ socket: Int32, orInput: Bool, for owner: Owner) {
        let input = orInput ? EPOLLIN.rawValue : 0
        unsafe add(
            socket, events: EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue | input,
            token: Unmanaged.passUnretained(owner).toOpaque())
    }

    /// Stops watching a socket.
    func remove(_ socket: Int32) { _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, socket, nil) }

    /// Makes the current or the next call of `wait` return.
    func signal() { bell.signal() }

    /// Waits for events, and calls `each` with the owner of each reported socket.
    ///
    /// - Parameter milliseconds: the maximum wait; nil for no maximum.
    func wait(milliseconds: Int64?, each: (Owner) -> Void) {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            // glibc 2.41 declares the pointer as nonnull, 2.36 does not.
            guard let base = events.baseAddress else { return }
            let time = milliseconds.map { Int32(clamping: max($0, 0)) } ?? -1
            let count = unsafe epoll_wait(descriptor, base, Int32(events.count), time)
            bell.rearm()
            for index in 0..<max(Int(count), 0) {
                guard let token = unsafe events[index].data.ptr else { continue }
                unsafe Unmanaged<Owner>.fromOpaque(token)._withUnsafeGuaranteedRef(each)
            }
        }
    }

    private func add(_ number: Int32, events: UInt32, token: UnsafeMutableRawPointer?) {
        var event = unsafe epoll_event(events: events, data: epoll_data_t(ptr: token))
        _ = unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, number, &event)
    }
}
