import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

@Suite(.timeLimit(.minutes(1)))
struct CopyCacheTests {
    private let folder: ScratchFolder
    private let cache: CacheFolder
    private let target = LevelTarget(path: ["Item 4"], query: .all.sorted(by: "Title"))

    init() throws {
        folder = try ScratchFolder()
        cache = CacheFolder(url: URL(fileURLWithPath: folder("cache")), server: "http://127.0.0.1:8080", limit: 100_000)
    }

    private func copy(rows: Int = 3) -> LevelCopy {
        var random = RandomLevel()
        var level = random.level(rows: rows)
        level.path = ["Item 4"]
        for number in level.rows.indices { level.rows[number].parent = level.path }
        return LevelCopy(
            level: level, pages: [.init(follow: "/levels/Item%204?since=\(level.version)", count: rows, total: rows)])
    }

    /// A level with everything that a level can have.
    private func fullCopy() -> LevelCopy {
        var full = copy()
        full.level.ancestors = [.init(title: "Root", path: .root)]
        full.level.error = "A file is missing: \"x\"\n."
        full.level.next = "/levels/?after=x"
        full.level.sections[0].footer = "Footer"
        full.level.sections[0].index = "A"
        full.level.rows[0].fields = [
            "Text": "Ä \u{1}\\", "Number": .unsigned(.max), "Real": 1.5, "List": [1, true, .null], "Empty": [:],
        ]
        var control = Control(type: "Slider", key: "volume", value: 3, options: [.init(title: "Low", value: 1)])
        (control.min, control.max, control.isSecure, control.keyboard) = (0, 10, true, "NumberPad")
        (control.trueValue, control.falseValue, control.choice, control.tag) = ("yes", "no", 2, 7)
        full.level.rows[0].control = Control(type: "Button")
        full.level.rows[1].extras = Row.Extras(.init(fieldsVersion: "abcdefgh", control: control, error: "Error"))
        full.level.rows[1].links = ["Album": ItemLink(title: "Ä", path: ["Album", "1/2"])]
        var extras = Row.Extras.Values()
        (extras.indent, extras.isExpanded, extras.isFirst, extras.isLast) = (2, true, true, false)
        (extras.trail, extras.href) = (
            ["a", "b"], "/detail/Item%204/" + PercentEncoding.encode(full.level.rows[2].key)
        )
        full.level.rows[2].extras = Row.Extras(extras)
        return full
    }

    private func file() throws -> String {
        try #require(FileManager.default.contentsOfDirectory(atPath: folder("cache")).first)
    }

    @Test func `What is written is read again`() throws {
        for written in [copy(), copy(rows: 0), fullCopy()] {
            try cache.write(written, of: target)
            let read = try #require(cache.copy(of: target))
            #expect(read.level == written.level)
            #expect(read.pages == written.pages)
        }
    }

    @Test func `A level is known for its own server, path and query only`() throws {
        try cache.write(copy(), of: target)
        let other = CacheFolder(url: cache.url, server: "http://127.0.0.1:8081", limit: 100_000)
        #expect(other.copy(of: target) == nil)
        #expect(cache.copy(of: LevelTarget(path: ["Item 5"], query: target.query)) == nil)
        #expect(cache.copy(of: LevelTarget(path: target.path, query: .all)) == nil)
        // A file under another level's name is not that level.
        let name = try file()
        try other.write(copy(), of: target)
        for file in try FileManager.default.contentsOfDirectory(atPath: folder("cache")) where file != name {
            try folder.rename("cache/\(file)", "cache/\(name)")
        }
        #expect(cache.copy(of: target) == nil)
    }

    @Test func `Damaged files are passed over, and written anew`() throws {
        try cache.write(copy(), of: target)
        let name = "cache/" + (try file())
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder(name)))
        for length in stride(from: 0, to: bytes.count, by: 7) {
            try folder.write(name, bytes.prefix(length))
            #expect(cache.copy(of: target) == nil)
        }
        for position in stride(from: 0, to: bytes.count, by: 5) {
            var damaged = bytes
            damaged[position] ^= 1
            try folder.write(name, damaged)
            #expect(cache.copy(of: target) == nil)
        }
        var written = copy()
        written.pages[0].count += 1
        try cache.write(written, of: target)
        #expect(cache.copy(of: target) == nil)
        written.pages[0].count -= 1
        try cache.write(written, of: target)
        #expect(cache.copy(of: target)?.level == written.level)
    }

    @Test func `The levels that were used least recently leave first, and other files stay`() throws {
        let targets = (0..<5).map { LevelTarget(path: ["Item \($0)"], query: .all) }
        var names: [String] = []
        for (number, target) in targets.enumerated() {
            try cache.write(copy(rows: 10), of: target)
            let all = try FileManager.default.contentsOfDirectory(atPath: folder("cache"))
            let name = try #require(all.first { !names.contains($0) })
            names.append(name)
            let used = Date(timeIntervalSince1970: 1_000_000 + Double(number))
            try FileManager.default.setAttributes([.modificationDate: used], ofItemAtPath: folder("cache/\(name)"))
        }
        try folder.write("cache/notes.txt", String(repeating: "x", count: 100_000))
        #expect(cache.copy(of: targets[0]) != nil)
        let size = try Data(contentsOf: URL(fileURLWithPath: folder("cache/\(names[0])"))).count
        CacheFolder(url: cache.url, server: cache.server, limit: 2 * size + size / 2).shrink()
        #expect(targets.map { cache.copy(of: $0) != nil } == [true, false, false, false, true])
        #expect(FileManager.default.fileExists(atPath: folder("cache/notes.txt")))
    }

    @Test func `A level that is larger than the limit is not kept`() throws {
        let copy = copy()
        try cache.write(copy, of: target)
        let size = try Data(contentsOf: URL(fileURLWithPath: folder("cache/\(try file())"))).count
        for (limit, isKept) in [(size, true), (size - 1, false), (size - 1, false)] {
            let limited = CacheFolder(url: cache.url, server: cache.server, limit: limit)
            try limited.write(copy, of: target)
            limited.shrink()
            #expect((cache.copy(of: target) != nil) == isKept)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("cache")).isEmpty)
    }

    @Test func `The first and the last state of a second are written without a flush`() async throws {
        let (written, sender) = AsyncStream.makeStream(of: Data.self)
        var observed = cache
        observed.replace = { file, bytes in
            try bytes.write(to: file, options: .atomic)
            sender.yield(bytes)
        }
        let kept = CopyCache(observed)
        let copies = (1...4).map { copy(rows: $0) }
        var states = written.makeAsyncIterator()
        for state in [[copies[0]], Array(copies[1...2]), [copies[3]]] {
            for copy in state { kept.keep(copy, of: target) }
            var read: LevelCopy?
            while read?.pages != state.last?.pages {
                let bytes = try #require(await states.next())
                read = LevelCopy([UInt8](bytes), identity: "\(cache.server) /levels/Item%204?sort=Title")
            }
        }
        // This state is usually not written yet.
        kept.keep(copies[0], of: target)
        #expect(await kept.copy(of: target)?.pages == copies[0].pages)
    }

    @Test func `A hash is that of FNV-1a`() {
        #expect(StableHash.digits(of: "".utf8) == "cbf29ce484222325")
        #expect(StableHash.digits(of: "foobar".utf8) == "85944171f73967e8")
        #expect(StableHash.digits(of: "77kepQFQ8Kl".utf8) == "0000000000000000")
    }

    @Test func `A folder that cannot be written keeps nothing, and the server says so`() async throws {
        try folder.write("file", "x")
        let url = URL(fileURLWithPath: folder("file/below"))
        let server = try Server("http://127.0.0.1:8080", cacheFolder: url)
        let cache = try #require(server.observations.cache)
        #expect(server.cacheProblem == nil)
        cache.keep(copy(), of: target)
        await cache.flush()
        #expect(await cache.copy(of: target) == nil)
        let problem = try #require(server.cacheProblem)
        #expect(problem.kind == .unwritableCache)
        #expect(problem.detail.hasPrefix("Copies cannot be written to '\(url.path)': "))
        try folder.remove("file")
        cache.keep(copy(), of: target)
        await cache.flush()
        #expect(server.cacheProblem == nil)
        var full = self.cache
        full.replace = { _, _ in throw CocoaError(.fileWriteOutOfSpace) }
        #expect(throws: CocoaError.self) { try full.write(copy(), of: target) }
    }

    @Test func `The folder never keeps more than its limit`() async throws {
        let targets = (0..<5).map { LevelTarget(path: ["Item \($0)"], query: .all) }
        try cache.write(copy(rows: 10), of: targets[0])
        let size = try Data(contentsOf: URL(fileURLWithPath: folder("cache/\(try file())"))).count
        let kept = CopyCache(CacheFolder(url: cache.url, server: cache.server, limit: 2 * size + size / 2))
        for target in targets {
            kept.keep(copy(rows: 10), of: target)
            await kept.flush()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("cache")).count == 2)
        #expect(cache.copy(of: targets[4]) != nil)
    }

    @Test func `A state that comes while an older one is written is written too`() async throws {
        let (older, newer) = (copy(rows: 3), copy(rows: 4))
        let owner = Guarded<CopyCache?>(nil)
        var slow = cache
        slow.replace = { [target] file, bytes in
            // The first time only: keeping a state again has to be written again.
            owner.withLock { cache in
                cache?.keep(newer, of: target)
                cache = nil
            }
            try bytes.write(to: file, options: .atomic)
        }
        let kept = CopyCache(slow)
        owner.withLock { $0 = kept }
        kept.keep(older, of: target)
        await kept.flush()
        await kept.flush()
        #expect(cache.copy(of: target)?.level == newer.level)
    }

    @Test func `The last known level comes first, then what the server has`() async throws {
        let document = try ObservedDocument()
        let service = try RunningServer(document.path)
        let url = document.cacheFolder()
        let first = try Server(service.address, cacheFolder: url)
        var updates = first.updates(of: .root).makeAsyncIterator()
        let known = try #require(try await updates.next())
        await first.observations.cache?.flush()
        // An answer of the server would replace the known level if it came before the check.
        service.stop()
        try document.save(["Ann", "Eve"])
        let second = try Server(service.address, cacheFolder: url)
        second.observations.backoff.withLock { $0.sleep = { _ in await Task.yield() } }
        var others = second.updates(of: .root).makeAsyncIterator()
        let cached = try #require(try await others.next())
        #expect(cached.level == known.level)
        #expect(cached.isFromCache && !cached.isCurrent && cached.difference == nil)
        let port = try #require(service.address.split(separator: ":").last.flatMap { Int($0) })
        let again = try RunningServer(document.path, port: port)
        let fresh = try #require(try await others.next(showing: ["Ann", "Eve"]))
        #expect(!fresh.isFromCache)
        #expect(fresh.difference?.removed == [1, 2])
        again.stop()
        // Its last file must not come while the folder is removed.
        await second.observations.cache?.flush()
    }

    @Test func `The first request after a known level does not wait`() async throws {
        let unchanged = StubOrigin.Answer.level.replacing("\"rows\":[", with: "\"since\":\"v1\",\"was\":[")
        let isSeen = DispatchSemaphore(value: 0)
        let origin = try StubOrigin { request in
            if request.path.contains("wait=") { return .silence }
            guard request.path.contains("since=") else { return StubOrigin.Answer.json(StubOrigin.Answer.level) }
            // An answer that came sooner would take the place of the known level.
            _ = isSeen.wait(timeout: .now() + .seconds(120))
            return StubOrigin.Answer.json(unchanged)
        }
        let url = URL(fileURLWithPath: folder("cache"))
        let first = try Server(origin(""), cacheFolder: url)
        _ = try await first.wholeUpdate()
        await first.observations.cache?.flush()
        let second = try Server(origin(""), cacheFolder: url)
        var updates = second.updates().makeAsyncIterator()
        #expect(try await updates.next()?.isFromCache == true)
        isSeen.signal()
        #expect(try await updates.next()?.isCurrent == true)
        #expect(origin.requests.contains { $0.path == "/levels/?limit=10000&since=v1&format=json" })
    }

    @Test(arguments: [("no-such-item", 404, false), ("unauthorized", 401, true), ("bad-parameter", 400, true)])
    func `Only a level that is gone is forgotten`(_ kind: String, _ status: Int, _ isKept: Bool) async throws {
        let isRefused = Guarded(false)
        let origin = try StubOrigin { request in
            guard isRefused.withLock({ $0 }) else { return StubOrigin.Answer.json(StubOrigin.Answer.level) }
            return .status(
                "\(status) No", ["Content-Type": "application/problem+json"],
                Array("{\"type\":\"/problems/\(kind)\",\"title\":\"No\",\"status\":\(status),\"detail\":\"No.\"}".utf8))
        }
        let url = URL(fileURLWithPath: folder("cache"))
        let first = try Server(origin(""), cacheFolder: url)
        _ = try await first.wholeUpdate()
        await first.observations.cache?.flush()
        isRefused.withLock { $0 = true }
        let second = try Server(origin(""), cacheFolder: url)
        var updates = second.updates().makeAsyncIterator()
        #expect(try await updates.next()?.isFromCache == true)
        let problem = await #expect(throws: Problem.self) { try await updates.next() }
        #expect(problem?.kind.rawValue == kind)
        await second.observations.cache?.flush()
        let kept = await second.observations.cache?.copy(of: LevelTarget(path: .root, query: .all))
        #expect((kept != nil) == isKept)
    }
}

extension CacheFolder {
    fileprivate func copy(of target: LevelTarget) -> LevelCopy? { copy(of: target.link) }
    fileprivate func write(_ copy: LevelCopy, of target: LevelTarget) throws {
        try write(copy, kind: LevelCopy.kind, of: target.link)
    }
}

extension CopyCache {
    fileprivate func copy(of target: LevelTarget) async -> LevelCopy? { await copy(of: target.link) }
    fileprivate func keep(_ copy: LevelCopy, of target: LevelTarget) { keep(copy, of: target.link) }
}

extension Server {
    /// The first update of the root's level.
    fileprivate func wholeUpdate() async throws -> LevelUpdate? {
        var updates = updates().makeAsyncIterator()
        return try await updates.next()
    }
}
