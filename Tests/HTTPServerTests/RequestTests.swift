import HTTPServer
import Testing

@Suite("A request made by hand")
struct RequestTests {
    @Test("has the parts that it was made of")
    func parts() {
        let request = Request(
            method: .put, target: "/a%2Fb?c", fields: [("Accept", "x")], body: [1, 2], peer: "::1")
        #expect(request.method == .put)
        #expect(request.targetText == "/a%2Fb?c")
        let size = request.target.count
        #expect(size == 8)
        #expect(request.body == [1, 2])
        #expect(request.client == "::1")
    }

    @Test("finds a field in any case and without the space around it")
    func field() {
        let request = Request(target: "/", fields: [("iF-nOnE-mAtCh", " \t\"a\" \t"), ("Prefer", "")])
        #expect(request.field(.ifNoneMatch) == "\"a\"")
        #expect(request.field(.prefer) == "")
        #expect(request.field(.accept) == nil)
        #expect(request.has(.prefer) && !request.has(.accept))
        #expect(request.hasAny(of: [.accept, .prefer]) && !request.hasAny(of: [.accept, .range]))
    }

    @Test("joins several lines of a field in order")
    func lines() {
        let request = Request(target: "/", fields: [("Accept", "a"), ("X", "b"), ("ACCEPT", "c"), ("accept", "d")])
        #expect(request.field(.accept) == "a, c, d")
    }

    @Test("knows every name on the list, and none that is one letter off", arguments: FieldName.allCases)
    func names(name: FieldName) {
        let text = name.lowercased.description
        #expect(Request(target: "/", fields: [(text.uppercased(), "x")]).field(name) == "x")
        #expect(!Request(target: "/", fields: [(text + "s", "x")]).has(name))
        #expect(!Request(target: "/", fields: [("_" + text.dropFirst(), "x")]).has(name))
    }

    @Test("holds more lines than fit at first")
    func many() {
        let fields = (0..<100).map { (name: "Accept", value: "\($0)") }
        let request = Request(target: "/" + String(repeating: "x", count: 5000), fields: fields)
        #expect(request.field(.accept) == (0..<100).map { "\($0)" }.joined(separator: ", "))
        let size = request.target.count
        #expect(size == 5001)
    }
}

@Suite("A response")
struct ResponseTests {
    @Test("shows its parts without a connection")
    func parts() {
        let response = Response(status: 404, headers: [("ETag", "\"x\""), ("Vary", "Accept")], body: [65, 66])
        #expect(response.status == 404)
        #expect(response.header("etag") == "\"x\"")
        #expect(response.headers.count == 2)
        let (size, last) = (response.body.count, response.body[1])
        #expect(size == 2 && last == 66)
    }

    @Test("leaves out a header line that cannot be sent")
    func unsendable() {
        let response = Response(status: 200, headers: [("A", "b\r\nInjected: c"), ("Good", "d")])
        #expect(response.headers.map(\.name) == ["Good"])
        let isEmpty = response.body.isEmpty
        #expect(isEmpty)
    }
}
