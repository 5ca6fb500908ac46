import Testing
import TreeStore

@Suite("A queue of numbered elements")
struct NumberedQueueTests {
    @Test("finds its elements by their numbers while the oldest are removed")
    func numbers() {
        var queue = NumberedQueue<Int>(first: 7)
        var expected: [Int] = []
        for round in 0..<1_000 {
            queue.append(round)
            expected.append(round)
            // Grows to a hundred elements, and then keeps that many.
            if round >= 100 { #expect(queue.removeFirst() == expected.removeFirst()) }
            #expect(queue.first == 7 + max(0, round - 99))
            #expect(queue.count == expected.count && queue.end == queue.first + expected.count)
            #expect(queue.indices.map { queue[$0] } == expected)
            #expect(queue[queue.first - 1] == nil && queue[queue.end] == nil)
        }
        #expect(queue.elements(from: queue.first) == expected)
        #expect(queue.elements(from: queue.end - 2) == [998, 999])
        #expect(queue.elements(from: queue.end) == [])
        #expect(queue.elements(from: queue.first - 1) == nil)
    }

    @Test("replaces an element, and removes nothing when it is empty")
    func changes() {
        var queue = NumberedQueue<String>()
        queue.append("a")
        queue[0] = "b"
        queue[1] = "c"
        #expect(queue.elements(from: 0) == ["b"])
        #expect(queue.removeFirst() == "b")
        #expect(queue.removeFirst() == nil)
        #expect(queue.first == 1 && queue.count == 0)
    }
}
