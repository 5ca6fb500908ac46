/// The resources that all watchers of one thread share: the kernel's events and the times of checks.
///
/// So hundreds of files need no more descriptors and wake-ups than one file. Only the watchers' thread may use this
/// object.
final class WatchedFiles {
    typealias Instant = ContinuousClock.Instant

    private var list = WatchList()
    let saveWorker = SaveWorker()
    /// The time of the turn of the thread's loop in which events were last read.
    private var turn: Instant?
    /// The time from which the times of all checks are counted.
    private let begun = ContinuousClock.now

    /// The descriptor to poll for events; -1 if the kernel does not report events.
    var descriptor: Int32 { list.descriptor }

    /// Registers a path to follow. The first path opens the shared descriptor, which remote documents do not need.
    func add() -> WatchList.Follower { list.add() }

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
}
