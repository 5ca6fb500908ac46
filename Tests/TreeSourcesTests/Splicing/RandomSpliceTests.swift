import Bytes
import Levels
import PropertyLists
import Testing
import TreeSources

@testable import TestDocuments

/// Random documents in odd spellings, edited at random.
struct RandomSpliceTests {
    /// Paths of all items, the root's first.
    private static func paths(_ level: Level?, _ path: String, into paths: inout [String]) {
        guard let level else { return }
        for row in 0..<level.count where paths.count < 200 && !level.key(row).isEmpty {
            let key = level.key(row).utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            paths.append(path + "/" + key)
            Self.paths(level.child(row), path + "/" + key, into: &paths)
        }
    }

    private static func edit(_ paths: [String], _ generator: inout SeededGenerator, _ number: Int) throws -> Edit {
        let (path, other) = (paths[generator.below(paths.count)], paths[generator.below(paths.count)])
        switch generator.below(6) {
        case 0: return try .insert("{\"Title\":\"new <\(number)>\",\"Tag\":[1,2.5,{\"x\":true}]}", path)
        case 1: return try .insert("\"new \(number)\"", path, .first)
        case 2: return try .delete(path)
        case 3: return try .move(path, below: other, generator.one(in: 2) ? .first : .last)
        case 4: return try .patch("{\"Text\":\"\(number)\",\"Subtitle\":null}", path)
        default: return try .patch("{\"Tag\":{\"a\":\(number),\"b\":[\(number)]}}", path)
        }
    }

    private static func bytes(_ value: Value, seed: Int) throws -> [UInt8] {
        if seed % 3 > 0 { return Array(XMLSpelling.document(value, seed: UInt64(seed)).utf8) }
        var writer = JSONPropertyListWriter()
        try value.tell(to: &writer)
        try writer.finish()
        return Array(copying: writer.output.span)
    }

    @Test("read again, the text is the edited tree", arguments: RandomRounds.first(24))
    func randomEdits(seed: Int) throws {
        var random = RandomDocument(seed: UInt64(seed), seed % 3 > 0 ? .xml : .json)
        var edited = try EditedText(Self.bytes(random.document(), seed: seed))
        var generator = SeededGenerator(seed: UInt64(seed))
        for number in 0..<12 {
            var paths = ["/"]
            Self.paths(edited.document.child(0), "", into: &paths)
            do {
                try edited.apply([Self.edit(paths, &generator, number)])
            } catch is EditRefusal {
                continue
            }
        }
    }

    @Test("a file changed since it was read gives an error or a document", arguments: RandomRounds.first(24))
    func mutatedFiles(seed: Int) throws {
        var random = RandomDocument(seed: UInt64(seed), seed % 3 > 0 ? .xml : .json)
        let text = try EditedText(Self.bytes(random.document(), seed: seed))
        var generator = SeededGenerator(seed: UInt64(seed))
        var paths = ["/"]
        Self.paths(text.document.child(0), "", into: &paths)
        for number in 0..<20 {
            var session = EditSession(document: text.document, syntax: text.isXML ? .xml : .json)
            do {
                _ = try session.apply(EditBatch([Self.edit(paths, &generator, number)], isExact: false))
            } catch is EditRefusal {
                continue
            }
            guard let file = session.changedFiles.first else { continue }
            var bytes = text.bytes
            for _ in 0...generator.below(3) where !bytes.isEmpty {
                let place = generator.below(bytes.count)
                switch generator.below(3) {
                case 0: bytes.removeSubrange(place...)
                case 1: bytes.remove(at: place)
                default: bytes[place] = Array("<>/![]{}\",:\\ da".utf8)[generator.below(15)]
                }
            }
            do {
                _ = try EditedText.splice(bytes, file, isXML: text.isXML)
            } catch let error as SpliceError<Never> {
                guard case .document(let reason) = error else { continue }
                #expect(!reason.reason.isEmpty)
            }
        }
    }
}
