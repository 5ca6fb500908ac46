internal import Glibc

/// The resources that all watchers of one thread share: the kernel's events, the descriptors reserved for a load, and
/// the times of checks.
///
/// So hundreds of files need no more descriptors and wake-ups than one file. Only the watchers' thread may use this
/// object.
final class WatchedFiles {
    typealias Instant = ContinuousClock.Instant

    private var list = WatchList()
    /// Opening a file in a folder briefly takes three descriptors.
    private var reserve = DescriptorReserve(count: 3)
    let saveWorker = SaveWorker()
    /// The time of the turn of the thread's loop in which events were last read.
    private var turn: Instant?
    /// The time from which the times of all checks are counted.
    private let begun = ContinuousClock.now

    /// The descriptor to poll for events; -1 if the kernel does not report events.
    var descriptor: Int32 { list.descriptor }

    /// Registers a path to follow. The first path opens the shared descriptors, which remote documents do not need.
    func add() -> WatchList.Follower {
        let follower = list.add()
        reserve.refill(like: descriptor)
        return follower
    }

    /// Watches every directory and file through which the path currently leads.
    func follow(_ path: String, for follower: WatchList.Follower) { list.follow(path, for: follower) }

    /// Watches every directory through which a folder's path currently leads, and the files in the folder whose names
    /// have the given endings.
    func follow(folder path: String, endings: [String], for follower: WatchList.Follower) {
        list.follow(path, endings: endings, for: follower)
    }

    /// Ends the watches that only this follower needs.
    func forget(_ follower: WatchList.Follower) { list.forget(follower) }

    /// Whether an event may have changed a path's file or the content of the file. Returns true once per change.
    ///
    /// Events are read once in a turn, for all paths.
    func takeChange(of follower: WatchList.Follower, at now: Instant) -> Bool {
        if turn != now { list.readEvents() }
        turn = now
        return list.takeChange(of: follower)
    }

    /// Watches the paths of a file again after this program has replaced the file, and drops the events of the
    /// replacement.
    func followReplacement(of paths: [(path: String, follower: WatchList.Follower)]) {
        let others = list.followReplacement(for: paths.map(\.follower))
        guard !others.isEmpty else { return }
        for (path, follower) in paths where others.contains(follower) { list.follow(path, for: follower) }
        list.readEvents()
        for follower in others { _ = list.takeChange(of: follower) }
    }

    /// The time of the next check, which is the same for all files with this interval.
    func nextCheck(after now: Instant, every interval: Duration) -> Instant {
        let interval = max(interval, .milliseconds(1))
        var next = begun + interval * Int(begun.duration(to: now) / interval)
        while next <= now { next += interval }
        return next
    }

    /// Whether an event is waiting for `takeChange`.
    func hasChange(of follower: WatchList.Follower) -> Bool { list.hasChange(of: follower) }

    /// Loads or saves while the reserved descriptors are free for use.
    func usingReserve<Output, Failure: Error>(_ body: () throws(Failure) -> Output) throws(Failure) -> Output {
        reserve.release()
        defer { reserve.refill(like: descriptor) }
        return try body()
    }
}

/// Reserves descriptors, so that a load finds free ones when connections use all others.
struct DescriptorReserve: ~Copyable {
    private var held: [Int32] = []
    private let count: Int

    /// - Parameter count: the number of descriptors to reserve; `refill` opens them.
    init(count: Int) { self.count = count }

    deinit { for descriptor in held { _ = close(descriptor) } }

    /// Closes the reserved descriptors before a load.
    mutating func release() {
        for descriptor in held { _ = close(descriptor) }
        held.removeAll(keepingCapacity: true)
    }

    /// Opens the reserved descriptors, as far as the system's limit allows: before the first load, and after each load.
    ///
    /// - Parameter open: a descriptor that stays open. It is duplicated, because a duplicate costs a tenth of a new
    ///   socket. If it is -1, the reserve consists of unconnected sockets, which need neither a file nor a device.
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
