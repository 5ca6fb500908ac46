import Bytes
import PropertyLists
import Testing

@Suite("Written documents read back as the same value")
struct RoundTripTests {
    @Test("in binary, whatever the types and the characters", arguments: 0..<100)
    func binary(seed: Int) throws {
        var random = RandomTrees(seed: UInt64(seed))
        let tree = random.tree(depth: 6)
        #expect(try Format.binary.read(Format.binary.write(tree)) == tree)
    }

    @Test("in XML, as far as XML can carry it", arguments: 0..<100)
    func xml(seed: Int) throws {
        var random = RandomTrees(
            seed: UInt64(seed), kinds: [.string, .integer, .real, .boolean, .date, .data],
            alphabet: RandomTrees.plainAlphabet)
        let tree = random.tree(depth: 6)
        #expect(try Format.xml.read(Format.xml.write(tree)) == tree)
    }

    @Test("in JSON, as far as JSON has the types", arguments: 0..<100)
    func json(seed: Int) throws {
        var random = RandomTrees(seed: UInt64(seed), kinds: [.string, .integer, .real, .boolean])
        let tree = random.tree(depth: 6)
        #expect(try Format.json.read(Format.json.write(tree)) == tree)
    }

    @Test("with every length of text around the size of a page of the binary reader", arguments: ["x", "é"])
    func pages(letter: String) throws {
        let lengths = Array(0...40) + Array(16_110...16_140) + [16_383, 16_384, 16_385, 16_640, 16_641, 100_000]
        let tree = Tree.array(lengths.map { .string(String(repeating: letter, count: $0)) })
        #expect(try Format.binary.read(Format.binary.write(tree)) == tree)
    }

    @Test("when it does not fit the text readers' window", arguments: [Format.xml, .json])
    func windows(format: Format) throws {
        let tree = Tree.array((0..<70).map { .string(String(repeating: "0123456789é&\"\n", count: 250) + "\($0)") })
        let document = try format.write(tree)
        #expect(document.count > 1 << 18)
        #expect(try format.read(document) == tree)
    }

    @Test("with more containers within each other than a thread's stack would bear, up to the limit")
    func depth() throws {
        let limits = PropertyListLimits(nesting: 50_000)
        for format in [Format.binary, .json] {
            let document = deepDocument(format, depth: 50_000)
            var recorder = DepthRecorder()
            switch format {
            case .binary: try BinaryPropertyListReader.read(.memory(document), limits: limits, into: &recorder)
            default: try JSONPropertyListReader.read(.memory(document), limits: limits, into: &recorder)
            }
            #expect(recorder.deepest == 50_000)
        }
    }

    @Test("with a repeated key reported each time it appears")
    func repeatedKeys() throws {
        let tree: Tree = .dictionary([.init(key: "a", value: 1), .init(key: "a", value: 2)])
        for format in Format.allCases { #expect(try format.read(format.write(tree)) == tree) }
    }

    private func deepDocument(_ format: Format, depth: Int) -> [UInt8] {
        let here = SourcePosition.byte(offset: 0)
        switch format {
        case .binary:
            var writer = BinaryPropertyListWriter()
            for _ in 0..<depth { writer.beginArray(at: here) }
            #expect(throws: Never.self) {
                for _ in 0..<depth { try writer.endArray() }
                try writer.finish()
            }
            return writer.output.span.indices.map { writer.output.span[$0] }
        default:
            return Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
        }
    }
}

/// Counts open containers, and keeps nothing that would have to be released one within another.
private struct DepthRecorder: PropertyListConsumer, ~Copyable {
    private(set) var deepest = 0
    private var depth = 0

    mutating func beginDictionary(at position: SourcePosition) {}
    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {}
    mutating func endDictionary() {}
    mutating func beginArray(at position: SourcePosition) {
        depth += 1
        deepest = max(depth, deepest)
    }
    mutating func endArray() { depth -= 1 }
    mutating func string(_ text: Span<UInt8>) {}
    mutating func data(_ bytes: Span<UInt8>) {}
    mutating func scalar(_ value: PropertyListScalar) {}
}
