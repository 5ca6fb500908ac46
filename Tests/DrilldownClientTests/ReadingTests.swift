import DrilldownPreviews
import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

@Suite struct ReadingTests {
    private static let documents = [
        "Albums.plist", "Campus.plist", "Catalog.plist", "Data.plist", "Library.plist", "Meetings.plist", "Music.plist",
        "Settings.bundle",
    ]

    @Test(arguments: documents)
    func `the levels of a document, read one by one, are its outline`(_ name: String) async throws {
        let running = try RunningServer(RunningServer.document(name))
        let server = try running.client()
        var walked: [Row] = []
        // The next level to read is the last one: rows are found in the order of the document.
        var rest = try await server.level(at: .root, matching: .showing(.all)).rows.reversed() as [Row]
        while let row = rest.popLast() {
            walked.append(row)
            let detail = try await server.detail(at: row.path)
            #expect(detail.title == row.title)
            #expect(detail.fields == row.fields)
            #expect(detail.count == row.count)
            if row.isLeaf { continue }
            let level = try await server.level(at: row.path, matching: .showing(.all))
            #expect(level.path == row.path)
            #expect(level.sections.flatMap { level.rows(in: $0) } == level.rows)
            rest += level.rows.reversed()
        }
        var outline: [Row] = []
        for try await row in server.rows(at: .root, matching: .outlined().showing(.all).limited(to: 7)) {
            outline.append(row)
        }
        #expect(!walked.isEmpty)
        #expect(outline.map(\.path) == walked.map(\.path))
        #expect(outline.map(\.href) == walked.map(\.href))
        #expect(outline.map(\.fields) == walked.map(\.fields))
        #expect(Set(outline.map(\.id)).count == outline.count)
    }

    @Test func `a long level is read by pages`() async throws {
        let folder = try ScratchFolder()
        let titles = (0..<25_000).map { "Row \($0)" }
        let document = try folder.write("Long.json", "[\"" + titles.joined(separator: "\",\"") + "\"]")
        let running = try RunningServer(document)
        let server = try running.client()
        var pages: [Int] = []
        var read: [String] = []
        for try await page in server.pages(at: .root, matching: .limited(to: 10_000)) {
            #expect(page.start == read.count)
            #expect(page.count == 25_000)
            pages.append(page.rows.count)
            read += page.rows.map(\.title)
        }
        #expect(pages == [10_000, 10_000, 5_000])
        #expect(read == titles)
        read = []
        for try await row in server.rows(at: .root, matching: .starting(at: 23_500)) { read.append(row.title) }
        #expect(read == Array(titles[23_500...]))
    }

    @Test func `an item that does not exist is told with the nearest one`() async throws {
        let running = try RunningServer(RunningServer.document("Data.plist"))
        let found = try await problem { try await running.client().level(at: ["Item 4", "Screen Z"]) }
        #expect(found?.kind == .noSuchItem)
        #expect(found?.status == 404)
        #expect(found?.title == "No such item")
        #expect(found?.description == "There is no 'Screen Z' in /Item 4. Did you mean 'Screen G'?")
        #expect(found?.nearest == ["Item 4"])
        #expect(found?.isTemporary == false)
        let refused = try await problem {
            try await running.client().level(at: .root, matching: .limited(to: 0))
        }
        #expect(refused?.kind == .badParameter)
        #expect(refused?.parameter == "limit")
        #expect(refused?.detail == "'limit' must be a whole number from 1 to 10000, not '0'.")
    }

    @Test func `a server that wants a token for reading gets it`() async throws {
        let token = "0123456789abcdef"
        let running = try RunningServer(
            RunningServer.document("Data.plist"), environment: ["DRILLDOWN_READ_TOKEN": token])
        let found = try await problem { try await running.client().level(at: .root) }
        #expect(found?.kind == .unauthorized && found?.detail == "The service needs a token for this.")
        let wrong = try await problem { try await running.client(readToken: "f" + token).level(at: .root) }
        #expect(wrong?.kind == .wrongToken && wrong?.detail == "The service does not accept this token here.")
        #expect(try await running.client(readToken: token).level(at: .root).title == "Root")
    }

    @Test func `rows are read on the actor of the loop, which is left only for each page`() async throws {
        let server = Server(inMemory: .list((0..<1_000).map { .text("Row \($0)") }))
        let reader = CountingReader()
        #expect(try await reader.countRows(of: server.rows(matching: .limited(to: 500))) == 1_000)
        let jobs = reader.executor.count
        #expect(jobs < 100, "\(jobs) jobs for 2 pages")
    }

    @Test func `images are read as files`() async throws {
        let running = try RunningServer(RunningServer.document("Data.plist"))
        let server = try running.client()
        let image = try await server.imageData(named: "quill.svg")
        #expect(try image == Data(contentsOf: URL(fileURLWithPath: RunningServer.document("assets/quill.svg"))))
        #expect(try await server.imageData(named: "\(running.address)/assets/quill.svg") == image)
        #expect(try await server.imageData(for: Row(key: "a", fields: ["Image": "quill.svg"])) == image)
        let missing = try await problem { try await server.imageData(named: "none.svg") }
        #expect(missing?.kind == .noSuchFile)
    }
}

/// An actor with an executor that counts the jobs of the actor.
private actor CountingReader {
    final class Executor: SerialExecutor {
        private let queue = DispatchQueue(label: "reader")
        private let jobs = Guarded(0)

        var count: Int { jobs.withLock { $0 } }

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.withLock { $0 += 1 }
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func countRows(of rows: LevelRows) async throws -> Int {
        var count = 0
        for try await _ in rows { count += 1 }
        return count
    }
}
