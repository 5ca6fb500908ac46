import Foundation
import Levels
import Locking
import PropertyLists
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("How far a load is")
struct LoadProgressTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// A status without its times, for comparison.
    private func told(_ progress: LoadProgress) -> [String] {
        guard let status = progress.status else { return [] }
        let size = status.size.map { "\($0)" } ?? "?"
        return [
            "\(status.step) \(status.name)", "\(status.bytes) of \(size)", "\(status.items) items",
            "\(status.files) files, \(status.fileBytes) bytes",
        ]
    }

    @Test("is reported step by step, and not outside a load")
    func steps() {
        let changes = Guarded<[Bool]>([])
        let progress = LoadProgress { isLoading in changes.withLock { $0.append(isLoading) } }
        _ = progress.beginFile("early", bytes: 1)
        #expect(told(progress) == [])
        progress.begin()
        #expect(told(progress) == [])
        #expect(changes.withLock { $0 } == [])
        progress.beginWaiting(for: "http://a/")
        #expect(changes.withLock { $0 } == [true])
        #expect(told(progress) == ["waiting http://a/", "0 of ?", "0 items", "0 files, 0 bytes"])
        progress.begin()
        progress.beginFetch("http://a/", bytes: 100)
        progress.counts.add(bytes: 60)
        #expect(told(progress) == ["receiving http://a/", "60 of 100", "0 items", "0 files, 0 bytes"])
        progress.counts.add(bytes: 60)
        progress.end()
        #expect(told(progress) == ["receiving http://a/", "100 of 100", "0 items", "0 files, 0 bytes"])
        let counts = progress.beginFile("a", bytes: 100)
        counts.add(bytes: 40)
        counts.add(items: 3)
        #expect(told(progress) == ["reading a", "40 of 100", "3 items", "1 files, 40 bytes"])
        _ = progress.beginFile("b", bytes: 50)
        counts.add(bytes: 20)
        counts.add(items: 4)
        #expect(told(progress) == ["reading b", "20 of 50", "7 items", "2 files, 120 bytes"])
        #expect(changes.withLock { $0 } == [true])
        progress.end()
        #expect(told(progress) == [])
        #expect(changes.withLock { $0 } == [true, false])
        progress.begin()
        progress.end()
        #expect(changes.withLock { $0 } == [true, false])
        progress.begin()
        _ = progress.beginFile("c", bytes: 5)
        #expect(told(progress) == ["reading c", "0 of 5", "0 items", "1 files, 0 bytes"])
    }

    @Test("counts all bytes of a file, and its items in steps", arguments: PropertyListSyntax.allSyntaxes)
    func counts(_ syntax: PropertyListSyntax) throws {
        let titles = (0..<10_000).map { "Item \($0)" }
        let bytes =
            switch syntax {
            case .json: try JSONSerialization.data(withJSONObject: titles)
            case .xml: try PropertyListSerialization.data(fromPropertyList: titles, format: .xml, options: 0)
            case .binary: try PropertyListSerialization.data(fromPropertyList: titles, format: .binary, options: 0)
            }
        var file = PropertyListFile(path: try scratch.write("a", bytes))
        let progress = LoadProgress()
        file.interpretation.progress = progress
        progress.begin()
        #expect(try file.load(replacing: nil).tree.itemCount == 10_000)
        let status = try #require(progress.status)
        #expect(status.name == file.path)
        #expect(status.size == bytes.count)
        #expect(status.bytes == bytes.count)
        // 4,097 and 4,097 more; the rest is less than a step.
        #expect(status.items == 8_194)
        progress.end()
    }

    @Test("counts the items of any shape, and of a table", arguments: [Interpretation.Shape.items, .any])
    func shapes(_ shape: Interpretation.Shape) throws {
        let lines = (0..<5_000).map { "\($0),a" }
        try scratch.write("t.csv", (["Title,Kind"] + lines).joined(separator: "\n"))
        try scratch.write("a.json", #"{"Records":"t.csv","DrillBy":["Kind"]}"#)
        try scratch.write("b.json", try JSONSerialization.data(withJSONObject: Array(0..<5_000)))
        var file = PropertyListFile(
            path: scratch(shape == .any ? "b.json" : "a.json"), interpretation: Interpretation(shape: shape))
        let progress = LoadProgress()
        file.interpretation.progress = progress
        progress.begin()
        _ = try file.load(replacing: nil)
        #expect(progress.status?.files == (shape == .any ? 1 : 2))
        #expect((4_096...5_001).contains(try #require(progress.status?.items)))
        progress.end()
    }

    @Test("does not change the limit of items", arguments: [4_000, 4_096, 4_097, 5_000, 9_000])
    func limit(_ limit: Int) throws {
        for (count, isRefused) in [(limit, false), (limit + 1, true)] {
            let path = try scratch.write("a", try JSONSerialization.data(withJSONObject: (0..<count).map { "\($0)" }))
            var file = PropertyListFile(
                path: path, interpretation: Interpretation(treeLimits: TreeLimits(items: limit)))
            let progress = LoadProgress()
            file.interpretation.progress = progress
            var refusal: String?
            do { _ = try file.load(replacing: nil) } catch { refusal = error.reason }
            #expect(
                refusal
                    == (isRefused ? "the document holds more than \(limit) items; split it, or raise MaxItems" : nil))
        }
    }
}

extension PropertyListSyntax {
    fileprivate static let allSyntaxes: [PropertyListSyntax] = [.json, .xml, .binary]
}
