import Testing

@testable import TreeSources

@Suite("A fingerprint")
struct FingerprintTests {
    private let one = Fingerprint(outline: [1, 2], details: [3])
    private let touched = Fingerprint(outline: [1, 2], details: [4])
    private let other = Fingerprint(outline: [1, 5], details: [3])

    @Test("equals only that of the same state, and resembles that of a touched source")
    func comparison() {
        #expect(one == Fingerprint(outline: [1, 2], details: [3]))
        #expect(one != touched && one.resembles(touched))
        #expect(one != other && !one.resembles(other))
        #expect(one != .missing && !one.resembles(.missing))
    }

    @Test("of a composed source changes with each of its parts")
    func parts() throws {
        let whole = try #require(Fingerprint(of: [one, other, .missing]))
        #expect(whole == Fingerprint(of: [one, other, .missing]))
        #expect(whole != Fingerprint(of: [other, one, .missing]))
        #expect(whole != Fingerprint(of: [one, other]))
        #expect(try whole.resembles(#require(Fingerprint(of: [touched, other, .missing]))))
        #expect(try !whole.resembles(#require(Fingerprint(of: [one, other, one]))))
    }

    @Test("of a composed source keeps the parts apart")
    func boundaries() {
        #expect(
            Fingerprint(of: [Fingerprint(outline: [1], details: [2, 3]), Fingerprint(outline: [4, 5], details: [])])
                != Fingerprint(
                    of: [Fingerprint(outline: [1, 4], details: [2]), Fingerprint(outline: [5], details: [3])]))
    }

    @Test("is unknown if that of one part is")
    func unknown() {
        #expect(Fingerprint(of: [one, nil]) == nil)
    }
}
