import Testing

@testable import HTTPServer

@Suite("An deadlines")
struct DeadlineHeapTests {
    final class Entry: Scheduled {
        let deadline: Int64
        var place = -1
        init(_ deadline: Int64) { self.deadline = deadline }
    }

    @Test("returns due deadlines in order, and no others")
    func order() {
        var deadlines = DeadlineHeap<Entry>()
        for deadline in [5, 3, 9, 1, 7, 3, 8, 2] as [Int64] { deadlines.insert(Entry(deadline)) }
        #expect(deadlines.next == 1 && deadlines.count == 8)
        var due: [Int64] = []
        while let entry = deadlines.removeFirst(at: 7) { due.append(entry.deadline) }
        #expect(due == [1, 2, 3, 3, 5, 7])
        #expect(deadlines.next == 8 && deadlines.entries.map(\.deadline).sorted() == [8, 9])
    }

    @Test("lets any entry be taken out, as often as wanted")
    func removal() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var deadlines = DeadlineHeap<Entry>()
            let entries = (0..<200).map { _ in Entry(.random(in: 0..<100, using: &numbers)) }
            for entry in entries { deadlines.insert(entry) }
            let taken = entries.shuffled(using: &numbers).prefix(.random(in: 0...200, using: &numbers))
            for entry in taken {
                deadlines.remove(entry)
                deadlines.remove(entry)
                #expect(entry.place == -1)
            }
            let gone = Set(taken.map { ObjectIdentifier($0) })
            let left = entries.filter { !gone.contains(ObjectIdentifier($0)) }.map(\.deadline).sorted()
            var due: [Int64] = []
            while let entry = deadlines.removeFirst(at: .max) { due.append(entry.deadline) }
            #expect(due == left && deadlines.isEmpty)
        }
    }
}

@Suite("Deadlines")
struct SpreadTests {
    @Test(
        "are never before the time asked for, and at most 5 % or a second after",
        arguments: [0, 1, 60, 1000, 30_000, 300_000] as [Int64])
    func bounds(milliseconds: Int64) {
        let allowed = min(milliseconds / 20, 1000)
        for number in 0..<2000 as Range<UInt64> {
            let start = ExactClock.now
            let deadline = Jitter.deadline(after: milliseconds, number: number)
            #expect(deadline > start + milliseconds)
            // 2: the clock was read before and is rounded up.
            #expect(deadline - ExactClock.now <= milliseconds + allowed + 2)
        }
    }

    @Test("of thousands that begin at once fall into several instants, with about as many in each")
    func spread() {
        let counts = (0..<8000 as Range<UInt64>).reduce(into: [Int64: Int]()) { counts, number in
            counts[Jitter.part(of: 8, number: number), default: 0] += 1
        }
        #expect(counts.keys.sorted() == Array(0..<8))
        #expect(counts.values.allSatisfy { (900...1100).contains($0) })
    }

    @Test("of heartbeats fall on the next of 32 instants in a period, after half of it or more")
    func instants() {
        for (period, step) in [(3_200, 100), (64, 2), (63, 1), (1, 1)] as [(Int64, Int64)] {
            for now in 1_000..<1_200 as Range<Int64> {
                let earliest = now + period / 2 + Jitter.part(of: period / 2, number: 7)
                let schedule = HeartbeatSchedule(period: .milliseconds(period), number: 7, now: now)
                #expect(schedule.next.isMultiple(of: step) && (earliest..<earliest + step).contains(schedule.next))
            }
        }
    }

    @Test("of a time that is nothing is never, and of a short one is at least a millisecond")
    func timeouts() {
        let times: [Duration] = [
            .zero, .seconds(-1), .nanoseconds(1), .milliseconds(1), .milliseconds(5), .seconds(1 << 60),
        ]
        #expect(times.map(\.timeoutMilliseconds) == [1 << 60, 1 << 60, 1, 1, 5, 1 << 60])
    }

    @Test("of heartbeats come once in each period, and none is made up for")
    func schedule() {
        var schedule = HeartbeatSchedule(period: .seconds(16), number: 3, now: 0)
        let first = schedule.next
        #expect(first >= 8000 && first <= 16_500)
        schedule.beat(at: first - 1)
        #expect(schedule.take() == nil && schedule.next == first)
        schedule.beat(at: first)
        #expect(schedule.take() == Array(": \n\n".utf8) && schedule.take() == nil && schedule.next == first + 16_000)
        schedule.beat(at: first + 100_000)
        #expect(schedule.take() == Array(": \n\n".utf8) && schedule.next == first + 7 * 16_000)
    }
}
