import Files
import Foundation
import HTTPServer
import Levels
import Testing

@testable import LevelsAPI
@testable import TestSupport

/// The files of the assets folder: their answers, and the files that are never sent (manual, Assets).
@Suite("An asset") struct AssetTests {
    /// A long file has more bytes than are held in memory.
    private static let long = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    private static let short = Array("0123456789".utf8)

    private static func made() throws -> (scratch: ScratchFolder, desk: Desk) {
        let scratch = try ScratchFolder()
        for name in ["assets/sub", "assets/.hidden", "assets-beside"] { try scratch.folder(name) }
        for name in [
            "secret.txt", "assets/.secret", "assets/.hidden/a.txt", "assets-beside/a.txt", "assets/sub/a.txt",
            "assets/a%2fb",
        ] {
            try scratch.write(name, "secret")
        }
        try scratch.write("assets/short.txt", short)
        try scratch.write("assets/long.bin", long)
        try scratch.write("assets/empty.png", [])
        try scratch.write("assets/ä ö.svg", "<svg/>")
        for (link, target) in [("out.txt", "../secret.txt"), ("in.txt", "sub/a.txt"), ("up", "..")] {
            try scratch.link("assets/" + link, to: target)
        }
        try #require(unsafe mkfifo(scratch("assets/fifo"), 0o600) == 0)
        let folder = scratch("assets")
        return (scratch, try Desk("[]") { $0.assetsFolder = folder })
    }

    @Test("is sent with its type, its tag and the time of its last change")
    func whole() throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        for (name, body) in [("short.txt", Self.short), ("long.bin", Self.long)] {
            let answer = desk.get("/assets/" + name)
            #expect(answer.status == 200 && answer.body == body)
            let head = desk.ask(.head, "/assets/" + name)
            #expect(head.status == 200 && head.headers == answer.headers)
            #expect(desk.get("/assets/" + name).headers == answer.headers)
            #expect(
                answer.headers.map { $0.prefix { $0 != ":" } } == [
                    "Content-Type", "ETag", "Cache-Control", "X-Content-Type-Options", "Last-Modified", "Accept-Ranges",
                ])
        }
        let image = desk.get("/assets/%C3%A4%20%C3%B6.svg")
        #expect(image.text == "<svg/>" && image.header("Content-Type") == "image/svg+xml")
        #expect(
            image.header("Content-Security-Policy") == "sandbox; default-src 'none'; style-src 'unsafe-inline'")
        #expect(desk.get("/assets/sub/a.txt").text == "secret")
        #expect(desk.get("/assets/in.txt").text == "secret")
        #expect(desk.get("/assets/up/assets/short.txt").body == Self.short)
        #expect(desk.get("/assets/empty.png").body == [])
    }

    @Test(
        "is labelled by the extension of its name",
        arguments: [
            ("a.PNG", "image/png"), ("a.b.jpeg", "image/jpeg"), ("x/a.json", "application/json"),
            ("a.html", "text/plain; charset=utf-8"), ("a.js", "text/plain; charset=utf-8"),
            ("a.xml", "text/plain; charset=utf-8"), ("a", "application/octet-stream"),
            ("x.png/a", "application/octet-stream"), ("a.", "application/octet-stream"),
            ("a.exe", "application/octet-stream"), ("a.mov", "video/quicktime"),
        ])
    func type(name: String, expected: String) {
        #expect(AssetType(ofFileNamed: name).contentType == expected)
        #expect(AssetType(ofFileNamed: name).policy == nil)
    }

    @Test(
        "is nothing but a file in the folder",
        arguments: [
            "/assets/nothing", "/assets/.secret", "/assets/.hidden/a.txt", "/assets/sub", "/assets/sub/",
            "/assets/fifo",
            "/assets/out.txt", "/assets/up/secret.txt", "/assets/../secret.txt",
            "/assets/..", "/assets/.", "/assets/./short.txt", "/assets/sub/../short.txt",
            "/assets/sub/../../secret.txt",
            "/assets/..%2fsecret.txt", "/assets/..%2Fsecret.txt", "/assets/%2e%2e/secret.txt",
            "/assets/%2e%2e%2fsecret.txt", "/assets/%2e%2e%5csecret.txt", "/assets/..%5csecret.txt",
            "/assets/..\\secret.txt", "/assets/%252e%252e%252fsecret.txt", "/assets/....//secret.txt",
            "/assets//etc/passwd", "/assets/%2fetc%2fpasswd", "/assets/short.txt%00", "/assets/short.txt%00.png",
            "/assets/%00", "/assets/short.txt/", "/assets/short.txt/x", "/assets/a%2fb", "/assets/sub%2fa.txt",
            "/assets/..;/secret.txt", "/assets/../assets-beside/a.txt", "/assets/file:///etc/passwd", "/assets/~",
            "/assets/" + String(repeating: "x", count: 300), "/assets/" + String(repeating: "../", count: 100) + "etc",
        ])
    func refused(target: String) throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        let answer = desk.get(target)
        #expect(answer.status == 404, "\(answer.line)")
        #expect(answer.header("Content-Type") == "application/problem+json")
        #expect(
            answer.line.hasPrefix(
                #"{"type":"/problems/no-such-file","title":"No such file","status":404,"detail":"There is no file '"#))
    }

    @Test(
        "is refused with what is wrong with the request",
        arguments: [
            ("/assets", 404, "Name a file of the assets folder, as /assets/<file>; the folder is not listed."),
            ("/assets/", 404, "Name a file of the assets folder, as /assets/<file>; the folder is not listed."),
            ("/assets/%c0%ae%c0%ae/x", 400, "The path segment '%c0%ae%c0%ae' is not percent-encoded UTF-8."),
            ("/assets/%zz", 400, "The path segment '%zz' is not percent-encoded UTF-8."),
            ("/assets/x.png", 404, "There is no file 'x.png' in the assets folder."),
            ("/assets/short.txt?v=1", 400, "'v' is not a parameter here; this resource has none."),
        ])
    func problem(target: String, status: Int, detail: String) throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        let answer = desk.get(target)
        #expect(answer.status == status)
        #expect(answer.line.contains(#""detail":"\#(detail)""#), "\(answer.line)")
        #expect(
            try Desk("[]").get("/assets/a").line.contains(
                "This document has no assets folder; only a document in a file or a folder has one."))
    }

    @Test(
        "is sent in ranges",
        arguments: [
            ("bytes=0-3", [0..<4]), ("bytes=-4", [6..<10]), ("bytes=9-", [9..<10]), ("bytes=0-99999", [0..<10]),
            ("bytes=0-0,-1", [0..<1, 9..<10]), ("bytes=5-6,1-2", [5..<7, 1..<3]),
            ("bytes=0-4,3-5,9-9", [0..<6, 9..<10]),
            ("bytes=0-1,50-60", [0..<2]),
        ] as [(String, [Range<Int>])])
    func ranges(value: String, expected: [Range<Int>]) throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        for (name, body) in [("short.txt", Self.short), ("long.bin", Self.long)] {
            let plain = desk.get("/assets/" + name)
            let answer = desk.ask(.get, "/assets/" + name, [("Range", value)])
            #expect(answer.status == 206 && answer.entityTag == plain.entityTag)
            let ranges = try Self.parts(of: answer, type: plain.header("Content-Type") ?? "")
            for (range, part) in ranges { #expect(Array(body[range]) == part) }
            if name == "short.txt" { #expect(ranges.map(\.0) == expected) }
            let head = desk.ask(.head, "/assets/" + name, [("Range", value)])
            #expect(head.status == 200 && head.headers == plain.headers)
        }
    }

    /// The ranges of an answer with the bytes of each; one range is its own body, several are parts.
    private static func parts(of answer: Answer, type: String) throws -> [(Range<Int>, [UInt8])] {
        if let line = answer.header("Content-Range") { return [(try range(line), answer.body)] }
        let contentType = try #require(answer.header("Content-Type"))
        let boundary = try #require(contentType.firstMatch(of: /^multipart\/byteranges; boundary=(.+)$/)?.1)
        var rest = Data(answer.body)
        var parts: [(Range<Int>, [UInt8])] = []
        let delimiter = Data("--\(boundary)\r\nContent-Type: \(type)\r\nContent-Range: ".utf8)
        while rest.starts(with: delimiter) {
            rest = Data(rest.dropFirst(delimiter.count))
            let end = try #require(rest.firstRange(of: Data("\r\n\r\n".utf8)))
            let range = try range(String(decoding: rest[..<end.lowerBound], as: UTF8.self))
            let body = rest[end.upperBound...].prefix(range.count)
            parts.append((range, Array(body)))
            rest = Data(rest[(end.upperBound + range.count)...])
            #expect(rest.starts(with: Data("\r\n".utf8)))
            rest = Data(rest.dropFirst(2))
        }
        #expect(rest == Data("--\(boundary)--\r\n".utf8) && parts.count > 1)
        return parts
    }

    private static func range(_ line: String) throws -> Range<Int> {
        let match = try #require(line.wholeMatch(of: /bytes (\d+)-(\d+)\/\d+/))
        return (Int(match.1) ?? 0)..<(Int(match.2) ?? 0) + 1
    }

    @Test("whose ranges are beyond its end is refused with its length; a malformed Range is ignored")
    func unsatisfiable() throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        for (name, value) in [("short.txt", "bytes=10-"), ("short.txt", "bytes=-0"), ("empty.png", "bytes=0-")] {
            let answer = desk.ask(.get, "/assets/" + name, [("Range", value)])
            #expect(answer.status == 416)
            let length = name == "empty.png" ? 0 : 10
            #expect(answer.header("Content-Range") == "bytes */\(length)")
            #expect(answer.line.contains("The file has \(length) bytes; none of the ranges in Range is within it."))
        }
        for value in ["bytes=", "bytes=3-1", "lines=0-1", "bytes=0-1,x"] {
            #expect(desk.ask(.get, "/assets/short.txt", [("Range", value)]).body == Self.short)
        }
    }

    @Test("is sent by the conditions of the request, in their order")
    func conditions() throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        // The last change is in the past, so that its date is a strong validator.
        let past = Date(timeIntervalSince1970: 784_111_777)
        for name in ["short.txt", "long.bin"] {
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: scratch("assets/" + name))
            let tag = desk.get("/assets/" + name).entityTag
            let date = "Sun, 06 Nov 1994 08:49:37 GMT"
            #expect(desk.get("/assets/" + name).header("Last-Modified") == date)
            let earlier = "Sun, 06 Nov 1994 08:49:36 GMT"
            let later = "Mon, 07 Nov 1994 08:49:36 GMT"
            for (fields, status) in [
                ([("If-None-Match", tag)], 304), ([("If-None-Match", "\"x\"")], 200), ([("If-None-Match", "*")], 304),
                ([("If-Modified-Since", date)], 304), ([("If-Modified-Since", earlier)], 200),
                ([("If-Modified-Since", later)], 304), ([("If-Unmodified-Since", later)], 200),
                ([("If-Modified-Since", "yesterday")], 200),
                ([("If-None-Match", "\"x\""), ("If-Modified-Since", date)], 200),
                ([("If-Match", tag)], 200), ([("If-Match", "\"x\"")], 412), ([("If-Match", "W/" + tag)], 412),
                ([("If-Unmodified-Since", date)], 200), ([("If-Unmodified-Since", earlier)], 412),
                ([("If-Match", tag), ("If-Unmodified-Since", earlier)], 200),
                ([("Range", "bytes=0-1"), ("If-Range", tag)], 206),
                ([("Range", "bytes=0-1"), ("If-Range", "W/" + tag)], 200),
                ([("Range", "bytes=0-1"), ("If-Range", "\"x\"")], 200),
                ([("Range", "bytes=0-1"), ("If-Range", date)], 206),
                ([("Range", "bytes=0-1"), ("If-Range", earlier)], 200),
                ([("Range", "bytes=0-1"), ("If-Range", "x")], 200),
                ([("Range", "bytes=0-1"), ("If-None-Match", tag)], 304),
                ([("Range", "bytes=0-1"), ("If-Match", "\"x\"")], 412),
                ([("Range", "bytes=999999-"), ("If-None-Match", "\"x\"")], 416),
            ] as [([(String, String)], Int)] {
                let answer = desk.get("/assets/" + name, fields)
                #expect(answer.status == status, "\(name) \(fields)")
                if status == 412 { #expect(answer.line.contains(#""current":"\"\#(tag.dropFirst().dropLast())\"""#)) }
                guard status == 304 else { continue }
                #expect(answer.body.isEmpty && answer.headers == ["ETag: \(tag)", "Cache-Control: no-cache"])
            }
        }
    }

    @Test("has another tag when its content is another one, and the same tag for the same content")
    func tags() throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        let (short, long) = (desk.get("/assets/short.txt").entityTag, desk.get("/assets/long.bin").entityTag)
        try scratch.write("assets/short.txt", "9876543210")
        #expect(desk.get("/assets/short.txt").entityTag != short)
        try scratch.write("assets/short.txt", Self.short)
        #expect(desk.get("/assets/short.txt").entityTag == short)
        try scratch.write("assets/long.bin", Self.long.dropLast())
        #expect(desk.get("/assets/long.bin").entityTag != long)
    }

    @Test(
        "has a time of its last change only if that is a date of HTTP",
        arguments: [Int.min, .min + 1, -62_135_596_801, -62_135_596_800, 0, 253_402_300_800, .max])
    func extremeTimes(seconds: Int) throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        for (name, body) in [("short.txt", Self.short), ("long.bin", Self.long)] {
            let time = timespec(tv_sec: seconds, tv_nsec: 0)
            try #require(unsafe utimensat(AT_FDCWD, scratch("assets/" + name), [time, time], 0) == 0)
            // A file system may bring the time into its own range.
            var status = stat()
            try #require(unsafe stat(scratch("assets/" + name), &status) == 0)
            let held = (-62_135_596_800...253_402_300_799).contains(min(status.st_mtim.tv_sec, time_t(Glibc.time(nil))))
            let answer = desk.get("/assets/" + name)
            #expect(answer.status == 200 && answer.body == body && (answer.header("Last-Modified") != nil) == held)
        }
    }

    @Test("without a time of its last change, or in its very second, is sent whatever the conditions on it are")
    func undated() throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        let folder = ContainedFolder(path: scratch("assets"), opensHidden: false)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 784_111_777)], ofItemAtPath: scratch("assets/short.txt"))
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let range = [(name: "Range", value: "bytes=0-1"), ("If-Range", date)]
        for (fields, now, status) in [
            ([("If-Modified-Since", date)], .min, 200), ([("If-Unmodified-Since", date)], .min, 200),
            (range, .min, 200), (range, 784_111_777, 200), (range, 784_111_778, 206),
        ] as [([(name: String, value: String)], Int, Int)] {
            // Last-Modified is never later than the request, and HTTP cannot express the least time.
            let answer = AssetAnswer(
                request: Request(target: "/assets/short.txt", fields: fields),
                file: AssetFile(try folder.open("short.txt")), type: AssetType(ofFileNamed: "short.txt"), now: now,
                assets: Assets(in: nil, cacheControl: "no-cache", header: desk.api.selection.header), origin: 0)
            let response = Answer(try answer.response())
            #expect(response.status == status && (response.header("Last-Modified") == nil) == (now == .min))
        }
    }

    @Test("that changes while it is sent cuts the connection")
    func changing() throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        for change in ["cut", "written", "replaced"] {
            try scratch.write("assets/long.bin", Self.long)
            let response = desk.api.response(to: Request(target: "/assets/long.bin"))
            switch change {
            case "cut": try #require(unsafe truncate(scratch("assets/long.bin"), 100_000) == 0)
            case "written":
                let handle = try #require(FileHandle(forWritingAtPath: scratch("assets/long.bin")))
                try handle.write(contentsOf: Data("x".utf8))
                try handle.close()
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: scratch("assets/long.bin"))
            default:
                try scratch.write("other", "other")
                try scratch.rename("other", "assets/long.bin")
            }
            let answer = Answer(response)
            if change == "replaced" {
                // The file that was opened is still whole.
                #expect(answer.body == Self.long)
            } else {
                #expect(answer.text == "(cut)", "\(change)")
            }
        }
    }

    @Test("is refused while too many files are being sent, and sent again afterwards")
    func openFiles() throws {
        let (scratch, desk) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        var responses: [Response] = []
        for _ in 0..<Server.openFileLimit {
            responses.append(desk.api.response(to: Request(target: "/assets/long.bin")))
        }
        #expect(responses.allSatisfy { $0.status == 200 })
        let refused = desk.get("/assets/long.bin")
        #expect(refused.status == 503 && refused.header("Retry-After") == "5")
        #expect(desk.get("/assets/short.txt").status == 200)
        responses = []
        #expect(desk.get("/assets/long.bin").status == 200)
    }
}
