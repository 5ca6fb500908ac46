import Levels
import Testing

@testable import TreeSources

@Suite("A fingerprint")
struct FingerprintTests {
    private let one = Fingerprint([1, 2])
    private let other = Fingerprint([1, 5])

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

@Suite("A newer tree")
struct TreeAdvanceTests {
    private func document(_ text: String) throws -> Level {
        var builder = AnyTreeBuilder()
        try builder.string(text.utf8Span.span)
        return try builder.finish().document
    }

    @Test("equals only one with the same document, translations, revision and cause")
    func comparison() throws {
        let (one, other) = (try document("a"), try document("b"))
        let german = Translations(variants: [.init(name: "de", language: "de", document: other)], fallback: nil)
        let revision = SourceRevision(name: "k3-1", date: 0)
        let advance = TreeAdvance(to: one, revision: revision)
        #expect(advance == TreeAdvance(to: try document("a"), revision: revision))
        for different in [
            TreeAdvance(to: other, revision: revision), TreeAdvance(to: one, translations: german, revision: revision),
            TreeAdvance(to: one), TreeAdvance(to: one, revision: revision, cause: .importer),
        ] { #expect(advance != different) }
    }
}
