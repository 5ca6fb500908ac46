import Testing

@testable import DatabaseTables

@Suite("Kept answers") struct KeptAnswersTests {
    @Test("are the latest ones")
    func latest() {
        var answers = KeptAnswers()
        for number in 0..<100 { answers.keep(number, as: "\(number)", cost: 1) }
        let kept = (0..<100).filter { (number: Int) in answers["\(number)"] != nil }
        #expect(kept == Array(36..<100))
        #expect(answers["99"] as? Int == 99)
    }

    @Test("are wanted from the second request on")
    func wanted() {
        var answers = KeptAnswers()
        let wanted = (0..<3).map { _ in answers.wants("a") }
        #expect(wanted == [false, true, true])
    }

    @Test("take little memory")
    func memory() {
        var answers = KeptAnswers()
        for number in 0..<10 { answers.keep(number, as: "\(number)", cost: 200_000) }
        let kept = (0..<10).filter { (number: Int) in answers["\(number)"] != nil }
        #expect(kept == Array(5..<10))
        answers.keep(10, as: "large", cost: 300_000)
        #expect(answers["large"] == nil)
    }
}
