import Testing

@testable import TreeStore

@Suite("The pace at which memory is returned")
struct TrimPaceTests {
    private let start = ContinuousClock.now

    @Test("is at once after a load, and later for memory freed later")
    func loads() {
        var pace = TrimPace()
        let cases = [(true, false), (false, false), (false, true)]
        let due = cases.map { pace.isDue(hasLoaded: $0, hasFreed: $1, at: start) }
        #expect(due == [true, false, true])
        #expect(pace.next == nil)
    }

    @Test("is once a second while edits free memory again and again")
    func edits() {
        var pace = TrimPace()
        var times: [Int] = []
        for millisecond in 0..<3_000 {
            let now = start + .milliseconds(millisecond)
            pace.noteEdit(at: now)
            if pace.isDue(hasLoaded: false, hasFreed: true, at: now) { times.append(millisecond) }
        }
        #expect(times == [1_000, 2_001])
        #expect(pace.next == start + .milliseconds(3_002))
        let isDue = pace.isDue(hasLoaded: false, hasFreed: false, at: start + .milliseconds(3_002))
        #expect(isDue)
    }
}
