/// The watches for a number of paths, and the events that matter to each path.
struct WatchList: ~Copyable {
    /// One followed path.
    struct Follower: Hashable {
        fileprivate let number: Int
    }

    /// The events that matter to one path in one directory or file.
    private struct Interest {
        var events: Inotify.Mask = []
        /// The names that matter in a directory; empty if only the directory itself matters.
        var names: Set<String> = []
        /// The endings of further names that matter in a directory.
        var endings: [String] = []

        func includes(_ event: Inotify.Event) -> Bool {
            guard let name = event.name else { return !event.mask.isDisjoint(with: events.union(.gone)) }
            return names.contains(name) || endings.contains(where: name.hasSuffix)
        }
    }

    /// One directory or file that is watched.
    private struct Watch {
        /// The events requested from the kernel.
        var events: Inotify.Mask = []
        var interests: [Follower: Interest] = [:]

        /// The events that the followers need.
        var wanted: Inotify.Mask { interests.values.reduce(into: []) { $0.formUnion($1.events) } }
    }

    /// The file to which a path leads, and the directory in which the file's name is looked up.
    private struct Target {
        let directory: Int32
        let name: String
        var file: Int32
        let place: String
    }

    /// The inotify instance; created with the first path.
    private var inotify: Inotify?
    /// The watches, by the numbers that the kernel gave them.
    private var watches: [Int32: Watch] = [:]
    /// The numbers of the watches of each path.
    private var numbers: [Follower: Set<Int32>] = [:]
    /// The files that paths lead to.
    private var targets: [Follower: Target] = [:]
    /// The paths with an unread event.
    private var changed: Set<Follower> = []
    private var count = 0

    /// The descriptor to poll; -1 if the kernel reports no events.
    private(set) var descriptor: Int32 = -1

    /// Registers a path to follow.
    mutating func add() -> Follower {
        if inotify == nil {
            let made = Inotify()
            descriptor = made.descriptor
            inotify = consume made
        }
        count += 1
        return Follower(number: count)
    }

    /// Watches every directory and file through which the path currently leads, and drops the follower's other watches.
    ///
    /// - Parameter endings: the endings of names that matter in the folder at the end of the path.
    mutating func follow(_ path: String, endings: [String] = [], for follower: Follower) {
        var found: [Int32: (place: String, interest: Interest)] = [:]
        var last: (number: Int32, place: String)?
        var lookup: (directory: Int32, name: String)?
        var target: Target?
        var walk = PathWalk(path)
        walk.go { directory, name in
            let events: Inotify.Mask = [.names, .attributes, .itself]
            lookup = nil
            guard let number = inotify?.watch(directory, for: [events, .more]) else { return }
            found[number, default: (directory, Interest())].interest.events.formUnion(events)
            found[number]?.interest.names.insert(name)
            lookup = (number, name)
        } pass: { place, isDirectory in
            // The attributes of a directory are not watched, because the kernel would also report changes of the
            // attributes of every file in it.
            let events: Inotify.Mask = isDirectory ? .itself : .ofFile
            guard let number = inotify?.watch(place, for: [events, .more]) else { return }
            found[number, default: (place, Interest())].interest.events.formUnion(events)
            last = isDirectory ? (number, place) : nil
            if !isDirectory, let lookup {
                target = Target(directory: lookup.directory, name: lookup.name, file: number, place: place)
            }
        }
        if !endings.isEmpty, let last, inotify?.watch(last.place, for: [.names, .more]) == last.number {
            found[last.number]?.interest.events.formUnion(.names)
            found[last.number]?.interest.endings = endings
        }
        for number in numbers[follower] ?? [] where found[number] == nil { end(number, for: follower) }
        for (number, (_, interest)) in found {
            watches[number, default: Watch()].interests[follower] = interest
            watches[number]?.events.formUnion(interest.events)
        }
        for (number, (place, _)) in found { narrow(number, at: place) }
        numbers[follower] = Set(found.keys)
        targets[follower] = target
    }

    /// Watches a file again after this program has replaced it.
    ///
    /// Drops the events that the replacement caused for the given paths. Keeps the events of all other files and
    /// directories through which the paths lead.
    ///
    /// - Returns: the paths that did not lead to a file before. The caller must call `follow` for them.
    mutating func followReplacement(for followers: [Follower]) -> [Follower] {
        var replaced: [Follower: Target] = [:]
        for follower in followers { replaced[follower] = followReplacement(for: follower) }
        readEvents { event, follower in
            guard let old = replaced[follower] else { return false }
            return event.number == old.file || event.number == old.directory && event.name == old.name
        }
        return followers.filter { replaced[$0] == nil }
    }

    /// - Returns: the file that was replaced; nil if the path did not lead to a file.
    private mutating func followReplacement(for follower: Follower) -> Target? {
        guard let old = targets[follower], let number = inotify?.watch(old.place, for: [.ofFile, .more]) else {
            return nil
        }
        if number != old.file {
            end(old.file, for: follower)
            numbers[follower]?.remove(old.file)
        }
        watches[number, default: Watch()].interests[follower] = Interest(events: .ofFile)
        watches[number]?.events.formUnion(.ofFile)
        numbers[follower]?.insert(number)
        targets[follower]?.file = number
        return old
    }

    /// Ends all watches that only this follower needs.
    mutating func forget(_ follower: Follower) {
        for number in numbers[follower] ?? [] { end(number, for: follower) }
        numbers[follower] = nil
        targets[follower] = nil
        changed.remove(follower)
    }

    private mutating func end(_ number: Int32, for follower: Follower) {
        watches[number]?.interests[follower] = nil
        guard watches[number]?.interests.isEmpty == true else { return }
        watches[number] = nil
        inotify?.endWatch(number)
    }

    /// Removes events from the kernel's watch if no follower needs them any longer. They would only wake the thread.
    private mutating func narrow(_ number: Int32, at place: String) {
        guard let watch = watches[number], watch.events != watch.wanted else { return }
        guard let replaced = inotify?.watch(place, for: watch.wanted) else { return }
        if replaced == number {
            watches[number]?.events = watch.wanted
        } else if let other = watches[replaced] {
            // Another file has just replaced the place, which is reported anyway. The call above has changed the events
            // of that file's watch, so they are added again.
            _ = inotify?.watch(place, for: [other.events, .more])
        } else {
            inotify?.endWatch(replaced)
        }
    }

    /// Reads the pending events.
    ///
    /// - Parameter isOwn: whether this program caused an event of a path. The event is then dropped for this path.
    mutating func readEvents(except isOwn: (Inotify.Event, Follower) -> Bool = { _, _ in false }) {
        for event in inotify?.takeEvents() ?? [] {
            if event.mask.contains(.overflow) { changed.formUnion(numbers.keys) }
            for (follower, interest) in watches[event.number]?.interests ?? [:] where interest.includes(event) {
                if !isOwn(event, follower) { changed.insert(follower) }
            }
        }
    }

    /// Whether an event is waiting for `takeChange`.
    func hasChange(of follower: Follower) -> Bool { changed.contains(follower) }

    /// Whether an event may have changed the follower's file or the content of the file. Returns true once per change.
    mutating func takeChange(of follower: Follower) -> Bool { changed.remove(follower) != nil }
}

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
