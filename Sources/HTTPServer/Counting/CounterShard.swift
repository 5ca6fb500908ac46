import Synchronization

/// The counts of one thread: no other thread's counting slows it down.
///
/// Unchecked Sendable: the memory belongs to this object alone, and each of its words is atomic.
@safe
final class CounterShard: @unchecked Sendable {
    let layout: CounterLayout
    private let words: UnsafeMutablePointer<Atomic<Int>>

    /// Two cache lines, because processors fetch them in pairs.
    private static let alignment = 128

    init(_ layout: CounterLayout) {
        self.layout = layout
        let bytes = layout.size * MemoryLayout<Atomic<Int>>.stride
        let padded = (bytes + Self.alignment - 1) / Self.alignment * Self.alignment
        let memory = UnsafeMutableRawPointer.allocate(byteCount: padded, alignment: Self.alignment)
        unsafe words = memory.bindMemory(to: Atomic<Int>.self, capacity: layout.size)
        for index in 0..<layout.size { unsafe (words + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe words.deinitialize(count: layout.size)
        unsafe words.deallocate()
    }

    /// Counts one more, or several.
    @inline(__always)
    func add(_ count: Int = 1, at place: Int) {
        assert(place >= 0 && place < layout.size)
        unsafe words[place].wrappingAdd(count, ordering: .relaxed)
    }

    /// Adds all counts to others with the same layout.
    func addAll(to sums: inout [Int]) {
        for index in 0..<layout.size { sums[index] &+= unsafe words[index].load(ordering: .relaxed) }
    }

    /// Counts a request that has ended.
    @inline(__always)
    func note(_ request: EndedRequest) {
        guard request.status > 0 else { return add(at: layout.unanswered) }
        let route = request.route < layout.routes ? request.route : 0
        add(at: layout.requests(route, request.method, status: request.status))
        if request.size > 0 { add(request.size, at: layout.bytes(route)) }
        let place = layout.duration(request.nanoseconds, route, isWait: request.hasWaited)
        add(at: place.bucket)
        add(request.nanoseconds, at: place.sum)
        if !request.isComplete { add(at: layout.incomplete) }
    }
}

/// What is counted of a request.
struct EndedRequest {
    let route: Int
    let method: Method
    /// 0 if it was not answered.
    let status: Int
    /// The bytes of the body.
    let size: Int
    let nanoseconds: Int
    /// Whether it waited for an event, as long polls and streams do.
    let hasWaited: Bool
    /// Whether the whole response was sent.
    let isComplete: Bool
}
