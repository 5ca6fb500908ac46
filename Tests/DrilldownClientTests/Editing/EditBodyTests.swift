import Foundation
import Testing

@testable import DrilldownClient

@Suite("The body of an edit")
struct EditBodyTests {
    private func json(_ value: FieldValue) -> String { String(decoding: JSONText.bytes(of: value), as: UTF8.self) }

    @Test(
        "has every number with all its digits, and fields in their order",
        arguments: [
            (.integer(.max), "9223372036854775807"), (.integer(.min), "-9223372036854775808"),
            (.unsigned(.max), "18446744073709551615"), (.real(0.1), "0.1"), (.real(1), "1.0"), (.real(-0.0), "-0.0"),
            (.real(.leastNonzeroMagnitude), "5e-324"), (.real(1.7976931348623157e308), "1.7976931348623157e+308"),
            (.real(.nan), "\"nan\""), (.real(.infinity), "\"+infinity\""), (.real(-.infinity), "\"-infinity\""),
            (true, "true"), (nil, "null"), (["a", [], [:]], "[\"a\",[],{}]"), (["b": 1, "a": 2], "{\"b\":1,\"a\":2}"),
            ("\"\\\n\u{1}\u{1F}/é😀", "\"\\\"\\\\\\n\\u0001\\u001f/é😀\""),
            (.data(Data([1, 2, 255])), "\"AQL/\""),
            (.date(Date(timeIntervalSince1970: 984_355_200)), "\"2001-03-12T00:00:00Z\""),
        ] as [(FieldValue, String)])
    func values(_ value: FieldValue, _ text: String) { #expect(json(value) == text) }

    @Test("names places and conditions as the service reads them")
    func steps() {
        let edits: [Edit] = [
            .insert(["Title": "a"], into: ["x/y"], at: .before("b"), section: 1, ifMatch: "v"),
            .put(["Title": "a"], at: ["a"]), .patch(["b": nil], at: ["a"]),
            .move(["a"], into: .root, at: .index(2), section: 3),
            .delete(["a", "ü"], ifMatch: "w"),
        ]
        #expect(
            edits.map { json(.dictionary($0.step)) } == [
                #"{"insert":{"Title":"a"},"to":"/levels/x%2Fy","at":"before:b","section":1,"ifMatch":"v"}"#,
                #"{"put":{"Title":"a"},"of":"/detail/a"}"#, #"{"patch":{"b":null},"of":"/detail/a"}"#,
                #"{"move":"/detail/a","to":"/levels/","at":2,"section":3}"#,
                #"{"delete":"/detail/a/%C3%BC","ifMatch":"w"}"#,
            ])
        let requests = edits.map(\.request)
        #expect(
            requests.map { "\($0.method) \($0.target)" } == [
                "POST /levels/x%2Fy?at=before%3Ab&section=1", "PUT /detail/a", "PATCH /detail/a", "POST /moves",
                "DELETE /detail/a/%C3%BC",
            ])
        #expect(requests.allSatisfy { $0.isEdit })
        #expect(requests.map { $0.header["If-Match"] } == ["\"v\"", nil, nil, nil, "\"w\""])
        #expect(
            requests[3].body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"from":"/detail/a","to":"/levels/","at":2,"section":3}"#)
        for text in [#"{"edits":[]}"#, #"{"revision":"r"}"#] {
            let error = #expect(throws: JSONError.self) { try EditResult.read(Array(text.utf8)) }
            #expect(error?.description == "it has no 'revision' or no 'edits' (at byte 0)")
        }
        let error = #expect(throws: JSONError.self) { try ReloadResult.read(Array(#"{"revision":"r"}"#.utf8)) }
        #expect(error?.description == "it has no 'outcome' or no 'revision' (at byte 0)")
    }
}
