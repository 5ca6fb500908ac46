import Bytes
import ContentCodings
import Levels

@testable import HTTPServer
@testable import TestSupport

/// What came back: status, header lines, and the whole body, that of a stream too.
struct Answer: Equatable {
    let status: Int
    /// `Name: value`, in order.
    let headers: [String]
    let body: [UInt8]

    /// - Parameter piece: how many bytes of a stream are read at a time.
    init(_ response: Response, piece: Int = 777) {
        status = response.status
        headers = response.headers.map { "\($0.name): \($0.value)" }
        body =
            response.payload.stream.map { Self.read($0, piece) } ?? (status == 304 ? [] : Array(copying: response.body))
    }

    /// Reads a stream in small pieces, as a slow client would.
    private static func read(_ stream: StreamReader, _ size: Int) -> [UInt8] {
        var body: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: size)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe stream.read(into: $0) }
            guard count > 0 else { return count == -1 ? body : body + Array("(cut)".utf8) }
            body += piece[..<count]
        }
    }

    /// The line without the white space of an indented answer, which no text of it has two of.
    var compact: String {
        line.replacing("\n", with: "").replacing(#/ {2,}/#, with: "").replacing("\": ", with: "\":")
    }

    func header(_ name: String) -> String? {
        headers.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    var entityTag: String { header("ETag") ?? "none" }

    /// The header lines of a problem.
    static var problemHeaders: [String] { ["Content-Type: application/problem+json"] + unstoredHeaders.dropFirst() }

    /// The header lines of JSON that nobody stores.
    static var unstoredHeaders: [String] {
        ["Content-Type: application/json", "Cache-Control: no-store", "X-Content-Type-Options: nosniff"]
    }

    /// The header lines of a representation with the tag of this answer.
    func taggedHeaders(
        _ type: String = "application/json", vary: String = "Accept-Encoding, Accept"
    ) -> [String] {
        [
            "Content-Type: \(type)", "ETag: \(entityTag)", "Cache-Control: no-cache", "X-Content-Type-Options: nosniff",
            "Vary: \(vary)",
        ]
    }

    /// The lines that a 304 for a client with this answer has.
    var keepingLines: [String] {
        let names = ["ETag", "Cache-Control", "Vary", "Content-Location", "Preference-Applied"]
        let begins = names.map { $0 + ": " } + ["Drilldown-", "Access-Control-"]
        return headers.filter { line in begins.contains(where: line.hasPrefix) }
    }

    /// The answer before its body was coded: with the body, the tag and without the line that said so.
    var decoded: Answer? {
        guard let coding = ContentCoding.allCases.first(where: { $0.token == header("Content-Encoding") }),
            let body = Decoder.decode(body, coding)
        else { return nil }
        let headers = headers.filter { !$0.hasPrefix("Content-Encoding: ") }
            .map { $0.hasPrefix("ETag: ") ? $0.replacing("-\(coding.token)\"", with: "\"") : $0 }
        return Answer(status: status, headers: headers, body: body)
    }

    private init(status: Int, headers: [String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body without the line feed that ends every JSON body, and without its last member `follow`, which
    /// `FollowTests` assert.
    var line: String {
        guard text.last == "\n" else { return "no line feed after: \(text)" }
        return String(text.dropLast()).replacing(/,"follow":"[^"]*"}$/, with: "}")
    }

    /// The body without the link `follow`, whose options differ between equal answers to different requests.
    var content: String { text.replacing(/,\s*"follow":\s*"[^"]*"/, with: "") }

    /// The link `follow`.
    var follow: String? { text.firstMatch(of: /"follow":"([^"]*)"/).map { String($0.output.1) } }

    /// The line of the body with each version of a level or detail as `V` and each of a row as `v`.
    var shape: String {
        line.replacing(/"version":"[A-Za-z0-9_-]{22}"/, with: #""version":"V""#)
            .replacing(/"version":"[A-Za-z0-9_-]{8}"/, with: #""version":"v""#)
            .replacing(/"fieldsVersion":"[A-Za-z0-9_-]{8}"/, with: #""fieldsVersion":"f""#)
    }
}
