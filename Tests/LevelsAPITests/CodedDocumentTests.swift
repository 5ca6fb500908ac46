import ContentCodings
import HTTPServer
import Levels
import Testing

@testable import Bytes
@testable import LevelsAPI
@testable import TestDocuments

/// Documents in the coding that a client asks for, whole and while they are written (manual, Documents as a whole).
@Suite struct CodedDocumentTests {
    private static func document(rows: Int) -> String {
        "[" + (0..<rows).map { #"{"Title":"row \#($0)","N":\#($0 * 7919)}"# }.joined(separator: ",") + "]"
    }

    private static let targets = ["/document", "/document?format=json", "/document?format=binary"]

    @Test("What was written ahead is sent in pieces of any size, to the last byte")
    func pieces() {
        var written = ByteBuffer()
        written.append("abcde" as StaticString)
        var sent = ""
        var counts: [Int] = []
        for size in [2, 0, 2, 2, 2] {
            var piece = [UInt8](repeating: 0, count: size)
            let count = unsafe piece.withUnsafeMutableBytes { unsafe written.drain(into: $0) }
            sent += String(decoding: piece.prefix(count), as: UTF8.self)
            counts.append(count)
        }
        #expect(sent == "abcde" && counts == [2, 0, 2, 1, 0])
    }

    @Test("Short documents stay as they are, others are coded, whole or in pieces", arguments: ["gzip", "br"])
    func coded(_ token: String) throws {
        // Of 10 and 200 rows it goes out whole, of 5,000 in pieces.
        for (rows, isCoded) in [(10, false), (200, true), (5_000, true)] {
            let desk = try Desk(Self.document(rows: rows))
            for target in Self.targets where isCoded || !target.hasSuffix("document") {
                let plain = desk.get(target)
                let answer = desk.get(target, [("Accept-Encoding", token)])
                if isCoded {
                    #expect(answer.header("Content-Encoding") == token)
                    #expect(answer.body.count < plain.body.count * 2 / 3)
                    #expect(answer.decoded == plain)
                } else {
                    #expect(answer == plain)
                    let forced = desk.get(target, [("Accept-Encoding", "\(token), identity;q=0")])
                    #expect(forced.decoded == plain)
                }
            }
        }
    }

    @Test("A coded document has the same bytes however it is read", arguments: ["gzip", "br"])
    func sameBytes(_ token: String) throws {
        for rows in [200, 5_000] {
            let api = try Desk(Self.document(rows: rows)).api
            let request = Request(target: "/document", fields: [("Accept-Encoding", token)])
            let expected = Answer(api.response(to: request)).body
            for size in [1_000, 32 << 10, 1 << 20] {
                #expect(Answer(api.response(to: request), piece: size).body == expected)
            }
        }
    }

    @Test("A document is 304 for a client with the tag of the coding that would be sent")
    func conditions() throws {
        for rows in [10, 200, 5_000] {
            let desk = try Desk(Self.document(rows: rows))
            for target in Self.targets {
                for field in ["identity", "gzip", "br", "identity;q=0, br"] {
                    let full = desk.get(target, [("Accept-Encoding", field)])
                    for list in [full.entityTag, "\"x\", W/\(full.entityTag)", "*"] {
                        let answer = desk.get(target, [("Accept-Encoding", field), ("If-None-Match", list)])
                        #expect(answer.status == 304)
                        #expect(answer.headers == full.keepingLines)
                        #expect(answer.body.isEmpty)
                    }
                    let other = desk.get(target, [("Accept-Encoding", field), ("If-None-Match", "\"x-gzip\"")])
                    #expect(other == full)
                }
                let plain = desk.get(target).entityTag
                let status = desk.get(target, [("Accept-Encoding", "br"), ("If-None-Match", plain)]).status
                let isShort = desk.get(target).body.count < CodingChoice.leastBytes
                #expect(status == (isShort ? 304 : 200))
            }
        }
    }

    @Test("A document that XML cannot carry is refused in every coding")
    func beyondXML() throws {
        let desk = try Desk(#"["\u0001"]"#)
        for field in ["gzip", "br", "identity;q=0, gzip"] {
            #expect(desk.get("/document", [("Accept-Encoding", field)]) == desk.get("/document"))
        }
        #expect(desk.get("/document").status == 406)
    }
}
