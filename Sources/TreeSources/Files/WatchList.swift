/// Everything that is watched for one path, and which of its events matter.
struct WatchList: ~Copyable {
    private let inotify = Inotify()
    /// The names that matter in each watched directory, by watch number; none if only the directory itself matters.
    private var names: [Int32: Set<String>] = [:]

    /// What to poll.
    var descriptor: Int32 { inotify.descriptor }

    /// Watches everything that the path currently leads through, and nothing else.
    mutating func follow(_ path: String) {
        var found: [Int32: Set<String>] = [:]
        var walk = PathWalk(path)
        walk.go { directory, name in
            guard let number = inotify.watch(directory, for: [.names, .attributes, .itself]) else { return }
            found[number, default: []].insert(name)
        } pass: { place, isDirectory in
            // Adds events, because a directory on the path may also be one whose names matter. Its attributes are not
            // watched, because the kernel would report those of every file in it as well.
            let events: Inotify.Mask = isDirectory ? [.itself, .more] : [.writing, .attributes, .itself]
            guard let number = inotify.watch(place, for: events) else { return }
            found[number, default: []].formUnion([])
        }
        for number in names.keys where found[number] == nil { inotify.endWatch(number) }
        names = found
    }

    /// Whether one of the pending events may have changed what the path leads to, or its content.
    func hasChanged() -> Bool { inotify.takeEvents().reduce(false) { $0 || matters($1) } }

    private func matters(_ event: Inotify.Event) -> Bool {
        if event.mask.contains(.overflow) { return true }
        guard let names = names[event.number] else { return false }
        guard let name = event.name else { return true }
        return names.contains(name)
    }
}
