/// The kernel's watches for a number of paths.
///
/// An event is only a hint that a path may lead to another file, or that its file may have changed.
struct WatchList: ~Copyable {
    /// A follower of one or more paths.
    struct Follower: Hashable {
        fileprivate let number: Int
    }

    /// The subject of an event.
    private enum Subject: Hashable {
        /// A watched directory or file.
        case itself(Int32)
        /// One name in a watched directory.
        case name(String, in: Int32)
        /// The names with an ending, such as `plist`, in a watched directory.
        case ending(Substring, in: Int32)

        /// The number of the kernel's watch.
        var watch: Int32 {
            switch self {
            case .itself(let watch), .name(_, let watch), .ending(_, let watch): watch
            }
        }
    }

    /// The inotify instance; created with the first path.
    private var inotify: Inotify?
    private var followers: [Subject: Set<Follower>] = [:]
    private var subjects: [Follower: Set<Subject>] = [:]
    /// The number of subjects in `subjects` of each of the kernel's watches.
    private var uses: [Int32: Int] = [:]
    private var hinted: Set<Follower> = []
    private var count = 0

    /// The descriptor to poll; -1 if the kernel reports no events.
    private(set) var descriptor: Int32 = -1

    /// Whether an event was read that is not taken yet.
    var hasHints: Bool { !hinted.isEmpty }

    /// Makes a follower. The first follower opens the descriptor, which remote documents do not need.
    mutating func add() -> Follower {
        if inotify == nil {
            let made = Inotify()
            descriptor = made.descriptor
            inotify = consume made
        }
        count += 1
        return Follower(number: count)
    }

    /// Watches every directory and file through which the paths currently lead, and drops the follower's other watches.
    ///
    /// - Parameter endings: the endings, such as `plist`, of names that matter in the folders at the ends of the paths.
    /// - Returns: whether the paths lead elsewhere than before.
    @discardableResult
    mutating func follow(_ paths: [String], endings: [Substring], for follower: Follower) -> Bool {
        var found: Set<Subject> = []
        for path in paths { watch(path, endings: endings, into: &found) }
        let old = subjects.updateValue(found, forKey: follower) ?? []
        for subject in found.subtracting(old) {
            followers[subject, default: []].insert(follower)
            uses[subject.watch, default: 0] += 1
        }
        for subject in old.subtracting(found) { end(subject, for: follower) }
        return found != old
    }

    private func watch(_ path: String, endings: [Substring], into found: inout Set<Subject>) {
        var last: String?
        var walk = PathWalk(path)
        walk.go { directory, name in
            guard let watch = inotify?.watch(directory, for: [.names, .attributes, .itself, .more]) else { return }
            found.insert(.name(name, in: watch))
        } pass: { place, isDirectory in
            last = isDirectory ? place : nil
            // The attributes of a directory are not watched, because the kernel would also report changes of the
            // attributes of every file in it.
            guard let watch = inotify?.watch(place, for: [isDirectory ? .itself : .ofFile, .more]) else { return }
            found.insert(.itself(watch))
        }
        guard !endings.isEmpty, let last, let watch = inotify?.watch(last, for: [.names, .more]) else { return }
        for ending in endings { found.insert(.ending(ending, in: watch)) }
    }

    /// Ends all watches that only this follower needs.
    mutating func forget(_ follower: Follower) {
        for subject in subjects.removeValue(forKey: follower) ?? [] { end(subject, for: follower) }
        hinted.remove(follower)
    }

    private mutating func end(_ subject: Subject, for follower: Follower) {
        followers[subject]?.remove(follower)
        if followers[subject]?.isEmpty == true { followers[subject] = nil }
        uses[subject.watch, default: 0] -= 1
        guard uses[subject.watch] == 0 else { return }
        uses[subject.watch] = nil
        inotify?.endWatch(subject.watch)
    }

    /// Reads the pending events.
    mutating func readEvents() {
        for event in inotify?.takeEvents() ?? [] {
            if event.mask.contains(.overflow) { hinted.formUnion(subjects.keys) }
            for subject in Self.subjects(of: event) { hinted.formUnion(followers[subject] ?? []) }
        }
    }

    private static func subjects(of event: Inotify.Event) -> [Subject] {
        guard let name = event.name else { return [.itself(event.number)] }
        let ending = name.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
        return [.name(name, in: event.number), .ending(ending, in: event.number)]
    }

    /// Takes the followers whose paths have had events.
    mutating func takeHints() -> Set<Follower> {
        defer { hinted = [] }
        return hinted
    }

    /// Drops the events of a follower.
    mutating func dropHint(of follower: Follower) { hinted.remove(follower) }
}
