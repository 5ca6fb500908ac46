import Testing
import Threads

@Suite("A handover")
struct HandoverTests {
    @Test("gives a value to a thread that waits for it, or will")
    func values() throws {
        for number in 0..<100 {
            let handover = Handover<Int>()
            let thread = try Thread(name: "test") { handover.give(number) }
            #expect(handover.take() == number)
            thread.join()
        }
    }
}
