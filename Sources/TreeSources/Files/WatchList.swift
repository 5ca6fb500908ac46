/// All that is watched for the sake of one path, and what of it matters.
struct WatchList: ~Copyable {
    private let inotify = Inotify()
    /// The names that matter in what is watched, by its number; none where only it itself does.
    private var names: [Int32: Set<String>] = [:]

    /// What to poll.
    var descriptor: Int32 { inotify.descriptor }

    /// Watches what the path leads through now, and nothing else.
    mutating func follow(_ path: String) {
        var found: [Int32: Set<String>] = [:]
        var walk = PathWalk(path)
        walk.go { directory, name in
            guard let number = inotify.watch(directory, for: [.names, .attributes, .itself]) else { return }
            found[number, default: []].insert(name)
        } pass: { place, isDirectory in
            // Adding, since a directory that is passed may be one whose names matter too. Its attributes are not watched,
            // because the kernel would report those of every file in it as well.
            let events: Inotify.Mask = isDirectory ? [.itself, .more] : [.writing, .attributes, .itself]
            guard let number = inotify.watch(place, for: events) else { return }
            found[number, default: []].formUnion([])
        }
        for number in names.keys where found[number] == nil { inotify.endWatch(number) }
        names = found
    }

    /// Whether one of the events up to now may have changed what the path leads to, or what is in it.
    func hasChanged() -> Bool { inotify.takeEvents().reduce(false) { $0 || matters($1) } }

    private func matters(_ event: Inotify.Event) -> Bool {
        if event.mask.contains(.overflow) { return true }
        guard let names = names[event.number] else { return false }
        guard let name = event.name else { return true }
        return names.contains(name)
    }
}
