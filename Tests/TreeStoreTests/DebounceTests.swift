import Testing

@testable import TreeStore

@Suite("A debounce of changes")
struct DebounceTests {
    private let begun = ContinuousClock.now

    @Test("is over a tenth of a second after the last change")
    func end() {
        var debounce = Debounce()
        #expect(debounce.end == nil)
        debounce.goOn(at: begun, failed: true)
        debounce.goOn(at: begun + .milliseconds(80), failed: false)
        #expect(debounce.end == begun + .milliseconds(180))
        #expect(!debounce.hasFailed)
    }

    @Test("keeps a refusal back for two seconds, however long it goes on")
    func patience() {
        var debounce = Debounce()
        #expect(!debounce.isOverdue(at: begun))
        debounce.goOn(at: begun, failed: true)
        debounce.goOn(at: begun + .seconds(2), failed: true)
        #expect(!debounce.isOverdue(at: begun + .seconds(2)))
        #expect(debounce.isOverdue(at: begun + .milliseconds(2_001)))
        #expect(debounce.hasFailed)
    }
}
