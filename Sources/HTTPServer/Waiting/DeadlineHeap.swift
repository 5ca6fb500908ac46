/// A binary heap ordered by deadline, from which any entry can be removed in logarithmic time.
struct DeadlineHeap<Entry: Scheduled> {
    /// The deadlines are stored beside the entries, so that a comparison follows no pointer.
    private var heap: [(deadline: Int64, entry: Entry)] = []

    var isEmpty: Bool { heap.isEmpty }
    var count: Int { heap.count }
    /// All entries, in no particular order.
    var entries: [Entry] { heap.map(\.entry) }
    /// The earliest deadline; nil if the heap is empty.
    var next: Int64? { heap.first?.deadline }

    /// Inserts an entry that is not in a heap.
    mutating func insert(_ entry: Entry) {
        heap.append((entry.deadline, entry))
        rise(from: heap.count - 1)
    }

    /// Removes an entry, if it is in the heap.
    mutating func remove(_ entry: Entry) {
        let place = entry.place
        guard place >= 0 else { return }
        entry.place = -1
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        last.entry.place = place
        rise(from: place)
        sink(from: last.entry.place)
    }

    /// Removes and returns the first entry, if its deadline has come.
    mutating func removeFirst(at now: Int64) -> Entry? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        remove(first.entry)
        return first.entry
    }

    private mutating func rise(from start: Int) {
        var place = start
        let moving = heap[place]
        while place > 0, heap[(place - 1) / 2].deadline > moving.deadline {
            put(heap[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        put(moving, at: place)
    }

    private mutating func sink(from start: Int) {
        var place = start
        let moving = heap[place]
        while 2 * place + 1 < heap.count {
            var child = 2 * place + 1
            if child + 1 < heap.count, heap[child + 1].deadline < heap[child].deadline { child += 1 }
            guard heap[child].deadline < moving.deadline else { break }
            put(heap[child], at: place)
            place = child
        }
        put(moving, at: place)
    }

    private mutating func put(_ element: (deadline: Int64, entry: Entry), at place: Int) {
        heap[place] = element
        element.entry.place = place
    }
}

/// An entry of a `DeadlineHeap`.
protocol Scheduled: AnyObject {
    /// The deadline, in milliseconds.
    var deadline: Int64 { get }
    /// The entry's index in the heap; -1 if the entry is not in a heap. The heap maintains the index.
    var place: Int { get set }
}
