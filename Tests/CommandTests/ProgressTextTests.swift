import Testing

@testable import TreeSources
@testable import drilldown

@Suite("The display of a load")
struct ProgressTextTests {
    private let begun = LoadProgress.Instant.now

    private func status(
        _ step: LoadProgress.Step, _ name: String, size: Int?, bytes: Int = 0, items: Int = 0, files: Int = 1,
        fileBytes: Int = 0
    ) -> LoadProgress.Status {
        var status = LoadProgress.Status(step: step, name: name, size: size, begun: begun, stepBegun: begun)
        (status.bytes, status.items, status.files, status.fileBytes) = (bytes, items, files, fileBytes)
        return status
    }

    private func text(_ status: LoadProgress.Status, after time: Duration) -> ProgressText {
        ProgressText(status: status, at: begun + time)
    }

    private func half() -> ProgressText {
        let status = status(
            .reading, "/srv/drilldown/Data.plist", size: 399_000_000, bytes: 208_000_000, items: 570_000,
            fileBytes: 208_000_000)
        return text(status, after: .milliseconds(5_200))
    }

    @Test("is a sentence in a log")
    func sentence() {
        #expect(
            half().sentence
                == "reading /srv/drilldown/Data.plist: 52 %, 208 of 399 MB, 570,000 items, 5 s so far, 5 s left")
    }

    @Test(
        "fits the terminal, and gives up the least important figures first",
        arguments: [
            (120, "reading Data.plist [==============>             ] 52 %  208 of 399 MB  570,000 items  5 s left"),
            (80, "reading Data.plist [======>     ] 52 %  208 of 399 MB  570,000 items  5 s left"),
            (70, "reading Data.plist [========>        ] 52 %  208 of 399 MB  5 s left"),
            (50, "reading Data.plist [======>     ] 52 %  5 s left"),
            (40, "reading Data.plist [======>     ] 52 %"),
            (24, "[=======>      ] 52 %"), (12, "52 %"), (4, "52 "), (1, ""), (0, ""),
        ])
    func widths(_ columns: Int, _ line: String) { #expect(half().line(columns: columns) == line) }

    @Test("never reaches the last column, whatever the name")
    func narrow() {
        for name in [
            "a", String(repeating: "long/name", count: 40), String(repeating: "家族👩‍👩‍👧", count: 30), "a\u{1B}[31m",
        ] {
            let text = text(
                status(.receiving, name, size: nil, bytes: 12_345_678, items: 1_234_567), after: .seconds(100))
            for columns in 1...200 {
                let line = text.line(columns: columns)
                #expect(line.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) } < columns, "\(line)")
                #expect(!line.unicodeScalars.contains("\u{1B}"))
            }
        }
    }

    @Test("moves, if the size is not known")
    func unknownSize() {
        func line(_ milliseconds: Int) -> String {
            text(status(.receiving, "<stdin>", size: nil, bytes: 1_250_000), after: .milliseconds(milliseconds))
                .line(columns: 60)
        }
        #expect(line(1_000) == "receiving <stdin> [          ===             ] 1.2 MB  1 s")
        #expect(line(2_000) == "receiving <stdin> [                    ===   ] 1.2 MB  2 s")
        #expect(line(3_000) == "receiving <stdin> [                ===       ] 1.2 MB  3 s")
    }

    @Test("begins with a share of nothing")
    func beginning() {
        let begun = status(.reading, "a.plist", size: 399_000_000, bytes: 0)
        #expect(text(begun, after: .seconds(5)).sentence == "reading a.plist: 0 %, 0.0 MB, 5 s so far")
        let empty = status(.reading, "a.plist", size: 0)
        #expect(text(empty, after: .seconds(5)).sentence == "reading a.plist: 0.0 MB, 5 s so far")
        for (share, words) in [(19, "5 s so far"), (20, "5 s so far, 4 min 5 s left"), (1_000, "5 s so far, 0 s left")]
        {
            let early = status(.reading, "a.plist", size: 1_000, bytes: share)
            #expect(text(early, after: .seconds(5)).sentence.hasSuffix(", \(words)"))
        }
    }

    @Test("leaves out the middle of a long name, and the folder of a file that is read")
    func names() {
        let reading = status(
            .reading, "in/abcdefghijklmnopqrstuvwxyz.plist", size: 399_000_000, bytes: 208_000_000, items: 570_000)
        #expect(
            text(reading, after: .milliseconds(5_200)).line(columns: 60)
                == "readin....plist [=====>    ] 52 %  208 of 399 MB  5 s left")
        #expect(
            text(status(.receiving, "in/a", size: nil), after: .seconds(1)).line(columns: 50)
                == "receiving in/a [          ===      ] 0.0 MB  1 s")
    }

    @Test("says that a server does not respond")
    func waiting() {
        let waiting = status(.waiting, "http://127.0.0.1/a", size: nil)
        #expect(text(waiting, after: .seconds(2)).sentence == "waiting for http://127.0.0.1/a: 2 s so far")
        #expect(
            text(waiting, after: .seconds(2)).line(columns: 60)
                == "waiting for http://127.0.0.1/a [                ===  ] 2 s")
    }

    @Test("counts the small files of a document, and has a bar for a large one")
    func files() {
        let small = status(
            .reading, "in/b.plist", size: 1_000_000, bytes: 500_000, items: 5_000, files: 12, fileBytes: 34_500_000)
        #expect(
            text(small, after: .seconds(5)).sentence
                == "reading in/b.plist (file 12): 34 MB, 5,000 items, 5 s so far")
        let large = status(
            .reading, "in/c.plist", size: 100_000_000, bytes: 50_000_000, items: 5_000, files: 2, fileBytes: 60_000_000)
        #expect(
            text(large, after: .seconds(5)).sentence
                == "reading in/c.plist (file 2): 50 %, 50 of 100 MB, 5,000 items, 5 s so far, 5 s left")
    }

    @Test(
        "tells times in their units",
        arguments: [
            (Duration.zero, "0 s"), (.milliseconds(999), "0 s"), (.seconds(59), "59 s"), (.seconds(60), "1 min 0 s"),
            (.seconds(3_599), "59 min 59 s"), (.seconds(7_265), "2 h 1 min"),
        ])
    func times(_ duration: Duration, _ text: String) { #expect(ProgressText.time(duration) == text) }

    @Test(
        "groups the digits of numbers",
        arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_006, "12,345,006")])
    func groups(_ number: Int, _ text: String) { #expect(ProgressText.grouped(number) == text) }

    @Test("is an event with members in a log of JSON")
    func entry() {
        let status = status(.reading, "a.plist", size: 10, bytes: 5, items: 7, fileBytes: 5)
        #expect(
            Log(format: .json).line(of: Log.Entry(status: status, at: begun + .seconds(5)), at: 0)
                == #"{"time":"2001-01-01T00:00:00Z","level":"info","event":"loading","message":"reading a.plist: 50 %, 0.0 of 0.0 MB, 7 items, 5 s so far, 5 s left","file":"a.plist","bytes":5,"size":10,"items":7}"#
        )
    }
}
