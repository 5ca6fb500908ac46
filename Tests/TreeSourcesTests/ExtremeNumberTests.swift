import Testing

@testable import TestDocuments
@testable import TreeSources

@Suite("A number that an origin sends, however large") struct ExtremeNumberTests {
    private let start = ContinuousClock.now

    @Test("is a pause of an hour at most", arguments: 0..<4)
    func retryAfter(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<1_000 {
            var schedule = RefreshSchedule(interval: .seconds(60), from: start)
            for _ in 0..<generator.below(70) { schedule.fail(at: start, retryAfter: nil, jitter: 0) }
            schedule.fail(at: start, retryAfter: .seconds(generator.extreme()), jitter: 0)
            #expect(schedule.next > start && schedule.next <= start + .seconds(3_600))
        }
    }

    @Test("is the length of a document that is too large, or none", arguments: 0..<4)
    func contentLength(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<1_000 {
            let pace = TransferPace(patience: .seconds(1), wait: nil, from: start)
            let progress = LoadProgress { _ in }
            progress.begin()
            let reception = Reception(
                mostBytes: 1_000, pace: pace, progress: FetchProgress(progress: progress, name: "http://a/"))
            let text = generator.extremeText()
            let lines = ["HTTP/1.1 200 OK\r\n", "Content-Length: \(text)\r\n", "\r\n"]
            let isTaken = lines.map { line in
                let bytes = Array(line.utf8)
                return unsafe bytes.withUnsafeBytes { unsafe reception.takeHeader($0) }
            }
            #expect(isTaken == [true, true, (Int(text) ?? 0) <= 1_000], "\(text)")
            _ = progress.beginFile("a", bytes: 10)
            _ = progress.status
            progress.end()
        }
    }
}
