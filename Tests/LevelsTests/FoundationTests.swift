import Bytes
import Foundation
import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// What Foundation and this reader both read, they read the same.
@Suite struct FoundationTests {
    @Test("Random property lists are read from XML, however it is spelled, as Foundation reads them")
    func spelledXML() throws {
        for seed in 0..<600 as Range<UInt64> {
            var random = RandomDocument(seed: seed, .foundation)
            let value = random.value(depth: 5)
            let text = XMLSpelling.document(value, seed: seed)
            try expectAgreement(Array(text.utf8), on: value, "seed \(seed): \(text.prefix(2_000))")
        }
    }

    @Test("Random property lists are read from the XML and the binary that Foundation writes")
    func foundationWrites() throws {
        for seed in 0..<300 as Range<UInt64> {
            var random = RandomDocument(seed: seed, .foundation.subtracting(.repeatedKeys))
            let value = random.value(depth: 5)
            for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
                let data = try PropertyListSerialization.data(
                    fromPropertyList: value.object, format: format, options: 0)
                var reader = ValueReader()
                try (format == .xml ? Value.Format.xml : .binary).read(Array(data), into: &reader)
                let difference = try #require(reader.values.first).canonical.difference(from: value.canonical)
                #expect(difference == nil, "seed \(seed), \(format.rawValue)")
            }
        }
    }

    @Test("Foundation reads the XML and the binary that this program writes", arguments: [Value.Format.xml, .binary])
    func foundationReads(_ format: Value.Format) throws {
        for seed in 0..<300 as Range<UInt64> {
            // Of one key in a binary property list Foundation takes the first.
            var random = RandomDocument(seed: seed, .foundation.subtracting(.repeatedKeys))
            let value = random.value(depth: 5)
            try expectAgreement(value.bytes(as: format), as: format, on: value, "seed \(seed)")
        }
    }

    @Test("The document of a random tree is read by Foundation as the document that the tree came from")
    func documents() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = RandomDocument(seed: seed, .foundation)
            let value = random.document()
            let document = try value.tree().document
            var writer = XMLPropertyListWriter()
            var walk = TreeWalk(level: document, row: 0)
            try walk.finish(to: &writer)
            try writer.finish()
            try expectAgreement(Array(copying: writer.output.span), on: value, "seed \(seed)")
        }
    }

    private func expectAgreement(
        _ bytes: [UInt8], as format: Value.Format = .xml, on value: Value, _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var reader = ValueReader()
        try format.read(bytes, into: &reader)
        let ours = try #require(reader.values.first).canonical
        let fault = ours.difference(from: value.canonical)
        #expect(fault == nil, comment, sourceLocation: sourceLocation)
        let theirs = try #require(Value(readByFoundation: bytes)?.canonical, comment, sourceLocation: sourceLocation)
        let disagreement = ours.difference(from: theirs)
        #expect(disagreement == nil, comment, sourceLocation: sourceLocation)
    }
}
