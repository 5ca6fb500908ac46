import Testing

@testable import TreeSources

@Suite("A fingerprint")
struct FingerprintTests {
    private let one = Fingerprint([1, 2])
    private let other = Fingerprint([1, 5])

    @Test("equals only that of the same state")
    func comparison() {
        #expect(one == Fingerprint([1, 2]))
        #expect(one != other && one != .missing)
    }

    @Test("of a composed source changes with each of its parts")
    func parts() throws {
        let whole = try #require(Fingerprint(of: [one, other, .missing]))
        #expect(whole == Fingerprint(of: [one, other, .missing]))
        #expect(whole != Fingerprint(of: [other, one, .missing]))
        #expect(whole != Fingerprint(of: [one, other]))
        #expect(whole != Fingerprint(of: [one, other, one]))
    }

    @Test("of a composed source keeps the parts apart")
    func boundaries() {
        #expect(
            Fingerprint(of: [Fingerprint([1]), Fingerprint([4, 5])])
                != Fingerprint(of: [Fingerprint([1, 4]), Fingerprint([5])]))
    }

    @Test("is unknown if that of one part is")
    func unknown() {
        #expect(Fingerprint(of: [one, nil]) == nil)
    }
}
