import Testing

@testable import TreeSources

@Suite("The address of a remote document")
struct RemoteAddressTests {
    @Test(
        "is shown without user, password and fragment",
        arguments: [
            ("http://u:p@example.org/a?b=c#d", "http://example.org/a?b=c"),
            ("HTTPS://u@EXAMPLE.org:443", "https://EXAMPLE.org:443/"),
            ("http://[::1]:8080/a b", "http://[::1]:8080/a%20b"),
            ("http://example.org/a@b", "http://example.org/a@b"),
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
        arguments: ["http://", "http://u:p@h:99999/x", "http://u:p@/x", "https://u:p/q@h h/x", "http://u:p@h\n/x"])
    func refused(_ text: String) {
        do {
            _ = try RemoteAddress(text)
            Issue.record("it was taken")
        } catch {
            #expect(
                "\(error)".hasSuffix(
                    ": it is no URL that can be asked; write https://HOST/PATH or http://HOST:PORT/PATH."))
            #expect(!"\(error)".contains("u:p"))
        }
    }

    @Test("is told from a path by its scheme")
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
            let label = CopyLabel(origin: "http://h/", validators: validators, of: file)
            #expect(CopyLabel(text: label.text) == label)
            #expect(label.isOf(file))
        }
    }

    @Test("is none where a line is missing or no number")
    func broken() {
        #expect(CopyLabel(text: "") == nil)
        #expect(CopyLabel(text: "drilldown copy 1\nhttp://h/\n\n\n3\n") == nil)
        #expect(CopyLabel(text: "drilldown copy 1\nhttp://h/\n\n\n3\nx\n") == nil)
        #expect(CopyLabel(text: "drilldown copy 2\nhttp://h/\n\n\n3\n4\n") == nil)
    }

    @Test("is not that of a file that was written since")
    func anotherFile() throws {
        let label = CopyLabel(origin: "http://h/", validators: .init(), of: file)
        try scratch.write("Copy", "abcd")
        #expect(try !label.isOf(#require(FileIdentity(path: scratch("Copy")))))
    }
}
