import Locking
import Testing

@testable import LevelsAPI

/// When an edit is answered.
@Suite struct ToldPublicationsTests {
    @Test("An answer waits until all are told of its publication, and comes at once if they are")
    func order() {
        let told = ToldPublications()
        let given = Guarded<[Int]>([])
        func answer(_ number: Int) { told.after(number) { given.withLock { $0.append(number) } } }
        answer(0)
        #expect(given.withLock { $0 } == [0])
        for number in [3, 1, 2] { answer(number) }
        #expect(given.withLock { $0 } == [0])
        told.note(2)
        #expect(given.withLock { $0 } == [0, 1, 2])
        answer(2)
        told.note(3)
        #expect(given.withLock { $0 } == [0, 1, 2, 2, 3])
    }
}
