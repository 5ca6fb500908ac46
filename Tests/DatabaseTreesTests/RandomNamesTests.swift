import Testing

@testable import DatabaseTrees

struct RandomNamesTests {
    @Test func aMarkIsAUUIDOfVersion4() {
        let marks = Set((0..<100).map { _ in RandomNames.mark() })
        #expect(marks.count == 100)
        for mark in marks {
            #expect(mark.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        }
    }
}
