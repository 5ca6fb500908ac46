import Testing

@testable import TreeSources

@Suite("The head of an answer")
struct AnswerHeadTests {
    private func head(_ lines: String...) -> AnswerHead {
        var head = AnswerHead()
        for line in lines { head.take(line + "\r\n") }
        return head
    }

    @Test("gives the status, the validators and whether the origin waited, in any case of letters")
    func fields() {
        let head = head(
            "HTTP/1.1 200 OK", "ETAG:  W/\"a b\" ", "last-modified: Sun, 06 Nov 1994 08:49:37 GMT",
            "Content-Length: 12", "Content-Encoding: Identity", "Preference-Applied: respond-async, Wait=60", "")
        #expect(head.status == 200)
        #expect(
            head.validators
                == Validators(entityTag: "W/\"a b\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"))
        #expect(head.contentLength == 12 && head.coding == nil)
        #expect(head.isWaitApplied)
        #expect(head.isComplete)
    }

    @Test(
        "gives the media type without its parameters",
        arguments: [
            ("text/csv", "text/csv"), ("Text/HTML; charset=utf-8", "text/html"),
            (" application/json ;a=b", "application/json"),
            ("", nil), (";a=b", nil), ("text/\u{1}csv", nil), ("text/cäv", nil),
        ] as [(String, String?)])
    func mediaType(value: String, type: String?) {
        let head = head("HTTP/1.1 200 OK", "Content-Type: \(value)", "")
        #expect(head.mediaType == type)
        #expect(head.isPage == (type == "text/html"))
    }

    @Test("is that of the last answer where others came before it")
    func several() {
        let head = head(
            "HTTP/1.1 302 Found", "Location: /b", "ETag: \"a\"", "", "HTTP/2 200", "x: y", "", "ETag: \"trailer\"")
        #expect(head.status == 200)
        #expect(head.validators.isEmpty)
        #expect(!head.isRedirect)
    }

    @Test("leads on only where it says where to")
    func redirects() {
        #expect(head("HTTP/1.1 301 Moved", "Location: /b", "").isRedirect)
        #expect(!head("HTTP/1.1 301 Moved", "").isRedirect)
        #expect(!head("HTTP/1.1 304 Not Modified", "Location: /b", "").isRedirect)
    }

    @Test(
        "gives a tag as it was sent",
        arguments: [
            "\"\"", "W/\"\"", "\"a\"", "\" ~\"", "\"" + String(repeating: "a", count: 998) + "\"",
        ])
    func tags(_ tag: String) {
        #expect(head("HTTP/1.1 200 OK", "ETag: \(tag)", "").validators == Validators(entityTag: tag))
    }

    @Test(
        "passes over tags that could not be sent back",
        arguments: [
            "a", "\"", "W/\"", "\"\u{1}\"", "\"\u{7F}\"", "\"ä\"", "",
            "\"" + String(repeating: "a", count: 999) + "\"",
        ])
    func oddTags(_ tag: String) {
        #expect(head("HTTP/1.1 200 OK", "ETag: \(tag)", "").validators.isEmpty)
    }

    @Test("ignores lines that are not lines of a header")
    func nonsense() {
        #expect(head("nonsense", "HTTP/", "Preference-Applied: waiting=60", "") == completed)
    }

    private var completed: AnswerHead { head("HTTP/", "") }
}

@Suite("The request for a document")
struct FetchRequestTests {
    @Test("asks for any form, a drilldown's binary one before others")
    func plain() {
        #expect(
            FetchRequest(wait: .seconds(50)).fieldLines == [
                "Accept: application/x-bplist, application/octet-stream;q=0.9, application/x-plist;q=0.8, application/json;q=0.7, */*;q=0.5",
                "Accept-Encoding: gzip",
            ])
    }

    @Test("names the validators, and may wait for another document only by its tag")
    func conditional() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let tagged = FetchRequest(validators: Validators(entityTag: "\"a\"", lastModified: date), wait: .seconds(50))
        #expect(
            tagged.fieldLines.dropFirst(2) == [
                "If-None-Match: \"a\"", "If-Modified-Since: \(date)", "Prefer: wait=50",
            ])
        let dated = FetchRequest(validators: Validators(lastModified: date), wait: .seconds(50))
        #expect(dated.fieldLines.dropFirst(2) == ["If-Modified-Since: \(date)"])
    }
}
