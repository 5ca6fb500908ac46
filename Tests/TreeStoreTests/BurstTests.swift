import Testing

@testable import TreeStore

@Suite("A burst of changes")
struct BurstTests {
    private let begun = ContinuousClock.now

    @Test("is over a tenth of a second after the last change")
    func end() {
        var burst = Burst()
        #expect(burst.end == nil)
        burst.goOn(at: begun, failed: true)
        burst.goOn(at: begun + .milliseconds(80), failed: false)
        #expect(burst.end == begun + .milliseconds(180))
        #expect(!burst.hasFailed)
    }

    @Test("keeps a refusal back for two seconds, however long it goes on")
    func patience() {
        var burst = Burst()
        #expect(!burst.isOverdue(at: begun))
        burst.goOn(at: begun, failed: true)
        burst.goOn(at: begun + .seconds(2), failed: true)
        #expect(!burst.isOverdue(at: begun + .seconds(2)))
        #expect(burst.isOverdue(at: begun + .milliseconds(2_001)))
        #expect(burst.hasFailed)
    }
}
