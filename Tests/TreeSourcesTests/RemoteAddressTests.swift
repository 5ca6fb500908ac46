import Files
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("The address of a remote document")
struct RemoteAddressTests {
    @Test(
        "is shown without user, password and fragment",
        arguments: [
            ("http://u:p@example.org/a?b=c#d", "http://example.org/a?b=c"),
            ("HTTPS://u@EXAMPLE.org:443", "https://EXAMPLE.org:443/"),
            ("http://[::1]:8080/a b", "http://[::1]:8080/a%20b"),
            ("http://[::1]:8080/a b?c d=e f#g h", "http://[::1]:8080/a%20b?c%20d=e%20f"),
            ("http://example.org?a b", "http://example.org/?a%20b"),
            ("http://example.org/a@b", "http://example.org/a@b"),
            ("http://example.org/é", "http://example.org/%C3%A9"),
        ])
    func shown(_ text: String, _ shown: String) throws {
        #expect(try RemoteAddress(text).shown == shown)
        #expect(RemoteAddress.shown(text) == shown)
    }

    @Test("gives user and password decoded, for its origin alone")
    func credentials() throws {
        let address = try RemoteAddress("http://a%40b:c%2Fd@example.org/")
        #expect(address.user == "a@b")
        #expect(address.password == "c/d")
    }

    @Test(
        "that is none is refused without its user",
        arguments: ["http://", "http://u:p@h:99999/x", "http://u:p@/x", "https://u:p/q@hh/x"])
    func refused(_ text: String) {
        do {
            _ = try RemoteAddress(text)
            Issue.record("it was taken")
        } catch {
            #expect(
                "\(error)".hasSuffix(
                    ": it is not a valid URL; write https://HOST/PATH or http://HOST:PORT/PATH."))
            #expect(!"\(error)".contains("u:p"))
        }
    }

    @Test(
        "is refused with a control character in it",
        arguments: [
            ("http://u:p@h\n/x", "http://h\n/x", "000A"), ("http://h/x\u{7F}", "http://h/x\u{7F}", "007F"),
            ("http://h/\u{85}", "http://h/\u{85}", "0085"), ("http://h/\u{0}", "http://h/\u{0}", "0000"),
        ])
    func controlCharacter(_ text: String, _ shown: String, _ codePoint: String) {
        let reason =
            "the URL contains the control character U+\(codePoint); remove it, or write it percent-encoded"
        #expect(throws: SourceError(shown, reason: reason)) { try RemoteAddress(text) }
    }

    @Test(
        "is refused with a space before its path",
        arguments: [
            ("http://h h/x", "http://h h/x"), ("http://h ?x", "http://h ?x"), ("http://u u:p p@h/x", "http://h/x"),
            ("http:// h", "http:// h"),
        ])
    func space(_ text: String, _ shown: String) {
        let reason =
            "the URL contains a space before its path; remove it, or write it as %20 in a user name or password"
        #expect(throws: SourceError(shown, reason: reason)) { try RemoteAddress(text) }
    }

    @Test("allows no redirect from https to http")
    func secureRedirects() throws {
        #expect(try RemoteAddress("https://example.org/a").redirectSchemes == "https")
        #expect(try RemoteAddress("HTTPS://example.org/a").redirectSchemes == "https")
        #expect(try RemoteAddress("http://example.org/a").redirectSchemes == "http,https")
    }

    @Test("is distinguished from a path by its scheme")
    func scheme() {
        #expect(RemoteAddress.isMeant(by: "Http://a"))
        #expect(RemoteAddress.isMeant(by: "https://a"))
        #expect(!RemoteAddress.isMeant(by: "ftp://a"))
        #expect(!RemoteAddress.isMeant(by: "http/Data.plist"))
    }
}

@Suite("The label of a copy")
struct CopyLabelTests {
    private let scratch: ScratchFolder
    private let file: FileIdentity

    init() throws {
        scratch = try ScratchFolder()
        file = try #require(FileIdentity(path: scratch.write("Copy", "abc")))
    }

    @Test("reads back as it was written")
    func text() {
        for validators in [Validators(), Validators(entityTag: "\"a\"", lastModified: "b")] {
            for type in [nil, "text/csv"] {
                let label = CopyLabel(origin: "http://h/", mediaType: type, validators: validators, of: file)
                #expect(CopyLabel(text: label.text) == label)
                #expect(label.isOf(file))
            }
        }
    }

    @Test("is none where a line is missing or no number")
    func broken() {
        #expect(CopyLabel(text: "") == nil)
        #expect(CopyLabel(text: "drilldown copy 2\nhttp://h/\n\n\n3\n4\n") == nil)
        #expect(CopyLabel(text: "drilldown copy 2\nhttp://h/\n\n\n3\nx\n\n") == nil)
        #expect(CopyLabel(text: "drilldown copy 1\nhttp://h/\n\n\n3\n4\n\n") == nil)
    }

    @Test("is not that of a file that was written since")
    func anotherFile() throws {
        let label = CopyLabel(origin: "http://h/", mediaType: nil, validators: .init(), of: file)
        try scratch.write("Copy", "abcd")
        #expect(try !label.isOf(#require(FileIdentity(path: scratch("Copy")))))
    }
}
