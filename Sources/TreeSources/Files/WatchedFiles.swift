internal import Glibc

/// Shared by all watchers of one thread: the kernel's events, the descriptors reserved for a load, and the times at
/// which files are checked.
///
/// Hundreds of files need no more descriptors and wake-ups than one. Only that thread may use it.
final class WatchedFiles {
    typealias Instant = ContinuousClock.Instant

    private var list = WatchList()
    /// Opening a file of a folder takes three for a moment.
    private var reserve = DescriptorReserve(count: 3)
    let saveWorker = SaveWorker()
    /// The turn of the thread's loop in which events were read last.
    private var turn: Instant?
    /// The origin of the times of all checks.
    private let begun = ContinuousClock.now

    /// What to poll for events; -1 if the kernel reports none.
    var descriptor: Int32 { list.descriptor }

    /// Registers a path to follow. The first one opens the shared descriptors, which remote documents do not need.
    func add() -> WatchList.Follower {
        let follower = list.add()
        reserve.refill(like: descriptor)
        return follower
    }

    /// Watches everything that the path currently leads through.
    func follow(_ path: String, for follower: WatchList.Follower) { list.follow(path, for: follower) }

    /// Watches everything that the path of a folder currently leads through, and the files in it whose names end so.
    func follow(folder path: String, endings: [String], for follower: WatchList.Follower) {
        list.follow(path, endings: endings, for: follower)
    }

    /// Ends all watches that only this follower needs.
    func forget(_ follower: WatchList.Follower) { list.forget(follower) }

    /// Whether an event may have changed what a path leads to, or its content; true once per change.
    ///
    /// Events are read once in a turn, for all paths.
    func takeChange(of follower: WatchList.Follower, at now: Instant) -> Bool {
        if turn != now { list.readEvents() }
        turn = now
        return list.takeChange(of: follower)
    }

    /// Watches paths to one file again after this program has replaced it, and drops the events of that.
    func followReplacement(of paths: [(path: String, follower: WatchList.Follower)]) {
        let others = list.followReplacement(for: paths.map(\.follower))
        guard !others.isEmpty else { return }
        for (path, follower) in paths where others.contains(follower) { list.follow(path, for: follower) }
        list.readEvents()
        for follower in others { _ = list.takeChange(of: follower) }
    }

    /// The next check of a file that is checked at an interval: the same for all files with this interval.
    func nextCheck(after now: Instant, every interval: Duration) -> Instant {
        let interval = max(interval, .milliseconds(1))
        var next = begun + interval * Int(begun.duration(to: now) / interval)
        while next <= now { next += interval }
        return next
    }

    /// Whether an event that may concern a path was read, and `takeChange` has not told it.
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
