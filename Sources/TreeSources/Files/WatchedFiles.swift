internal import Glibc

/// Shared by all watchers of one thread: the kernel's events, the descriptors reserved for a load, and the times of
/// checks.
///
/// Hundreds of files need no more descriptors and wake-ups than one. Only that thread may use it.
final class WatchedFiles {
    typealias Instant = ContinuousClock.Instant

    private var list = WatchList()
    /// Opening a file in a folder briefly takes three descriptors.
    private var reserve = DescriptorReserve(count: 3)
    let saveWorker = SaveWorker()
    /// The turn of the thread's loop in which events were last read.
    private var turn: Instant?
    /// The origin of the times of all checks.
    private let begun = ContinuousClock.now

    /// The descriptor to poll for events; -1 if the kernel reports none.
    var descriptor: Int32 { list.descriptor }

    /// Registers a path to follow. The first path opens the shared descriptors, which remote documents do not need.
    func add() -> WatchList.Follower {
        let follower = list.add()
        reserve.refill(like: descriptor)
        return follower
    }

    /// Watches everything that the path currently leads through.
    func follow(_ path: String, for follower: WatchList.Follower) { list.follow(path, for: follower) }

    /// Watches everything that a folder's path currently leads through, and files in it with the given endings.
    func follow(folder path: String, endings: [String], for follower: WatchList.Follower) {
        list.follow(path, endings: endings, for: follower)
    }

    /// Ends the watches that only this follower needs.
    func forget(_ follower: WatchList.Follower) { list.forget(follower) }

    /// Whether an event may have changed a path's file or its content; true once per change.
    ///
    /// Events are read once in a turn, for all paths.
    func takeChange(of follower: WatchList.Follower, at now: Instant) -> Bool {
        if turn != now { list.readEvents() }
        turn = now
        return list.takeChange(of: follower)
    }

    /// Watches the paths of a file again after this program has replaced it, and drops the events of the replacement.
    func followReplacement(of paths: [(path: String, follower: WatchList.Follower)]) {
        let others = list.followReplacement(for: paths.map(\.follower))
        guard !others.isEmpty else { return }
        for (path, follower) in paths where others.contains(follower) { list.follow(path, for: follower) }
        list.readEvents()
        for follower in others { _ = list.takeChange(of: follower) }
    }

    /// The time of the next check; it is the same for all files with this interval.
    func nextCheck(after now: Instant, every interval: Duration) -> Instant {
        let interval = max(interval, .milliseconds(1))
        var next = begun + interval * Int(begun.duration(to: now) / interval)
        while next <= now { next += interval }
        return next
    }

    /// Whether an event is waiting for `takeChange`.
    func hasChange(of follower: WatchList.Follower) -> Bool { list.hasChange(of: follower) }

    /// Loads or saves with the reserved descriptors free for use.
    func usingReserve<Output, Failure: Error>(_ body: () throws(Failure) -> Output) throws(Failure) -> Output {
        reserve.release()
        defer { reserve.refill(like: descriptor) }
        return try body()
    }
}

/// Reserves descriptors, so that a load finds some free when connections use all others.
struct DescriptorReserve: ~Copyable {
    private var held: [Int32] = []
    private let count: Int

    /// - Parameter count: the number to reserve from the first `refill` on.
    init(count: Int) { self.count = count }

    deinit { for descriptor in held { _ = close(descriptor) } }

    /// Closes the reserved descriptors before a load.
    mutating func release() {
        for descriptor in held { _ = close(descriptor) }
        held.removeAll(keepingCapacity: true)
    }

    /// Opens the reserved descriptors before the first load and after each, as far as the limit allows.
    ///
    /// - Parameter open: a descriptor that stays open; duplicating it costs a tenth of a new socket. If it is -1, the
    ///   reserve consists of unconnected sockets, which need no file, not even a device.
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
