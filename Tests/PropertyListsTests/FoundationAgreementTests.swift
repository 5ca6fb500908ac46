import Foundation
import PropertyLists
import Testing

@Suite("Foundation agrees")
struct FoundationAgreementTests {
    /// What Foundation has types for; its integers are read here as far as 64 bits with a sign go.
    private static let kinds: [RandomTrees.Kind] = [.string, .integer, .real, .oddReal, .boolean, .date, .data]

    @Test("on the output of the binary writer", arguments: 0..<50)
    func readsOurBinary(seed: Int) throws {
        let tree = Self.tree(seed: seed, alphabet: RandomTrees.wholeAlphabet)
        #expect(try Self.read(Format.binary.write(tree)) == tree.sorted)
    }

    @Test("on the output of the XML writer", arguments: 0..<50)
    func readsOurXML(seed: Int) throws {
        let tree = Self.tree(seed: seed, alphabet: RandomTrees.plainAlphabet)
        #expect(try Self.read(Format.xml.write(tree)) == tree.sorted)
    }

    @Test("with the binary reader on our own output", arguments: 0..<50)
    func weReadTheirBinary(seed: Int) throws {
        let tree = Self.tree(seed: seed, alphabet: RandomTrees.wholeAlphabet)
        let document = try PropertyListSerialization.data(
            fromPropertyList: Self.object(tree), format: .binary, options: 0)
        #expect(try Format.binary.read(Array(document))?.sorted == tree.sorted)
    }

    @Test("with the XML reader on our own output", arguments: 0..<50)
    func weReadTheirXML(seed: Int) throws {
        // It writes a carriage return as one, which XML turns into a line feed, and loses the sign of −0.0.
        let alphabet = RandomTrees.plainAlphabet.filter { $0 != "\r" }
        let tree = Self.tree(seed: seed, kinds: Self.kinds.filter { $0 != .oddReal }, alphabet: alphabet)
        let document = try PropertyListSerialization.data(
            fromPropertyList: Self.object(tree), format: .xml, options: 0)
        #expect(try Format.xml.read(Array(document))?.sorted == tree.sorted)
    }

    private static func tree(
        seed: Int, kinds: [RandomTrees.Kind] = kinds, alphabet: [Unicode.Scalar]
    ) -> Tree {
        var random = RandomTrees(seed: UInt64(1_000 + seed), kinds: kinds, alphabet: alphabet)
        return clamped(random.tree(depth: 5))
    }

    private static func clamped(_ tree: Tree) -> Tree {
        switch tree {
        case .dictionary(let entries): .dictionary(entries.map { .init(key: $0.key, value: clamped($0.value)) })
        case .array(let elements): .array(elements.map(clamped))
        case .integer(let value) where !value.isNegative: .integer(PropertyListInteger(value.bits >> 1))
        default: tree
        }
    }

    private static func read(_ document: [UInt8]) throws -> Tree {
        try tree(unsafe PropertyListSerialization.propertyList(from: Data(document), format: nil)).sorted
    }

    private static func object(_ tree: Tree) -> Any {
        switch tree {
        case .dictionary(let entries):
            Dictionary(uniqueKeysWithValues: entries.map { ($0.key, object($0.value)) })
        case .array(let elements): elements.map(object)
        case .string(let text): text
        case .integer(let value): NSNumber(value: Int64(bitPattern: value.bits))
        case .real(let bits): NSNumber(value: Double(bitPattern: bits))
        case .boolean(let value): NSNumber(value: value)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let bytes): Data(bytes)
        case .uid(let value): NSNumber(value: value)
        }
    }

    private static func tree(_ object: Any) -> Tree {
        switch object {
        case let entries as [String: Any]: return .dictionary(entries.map { .init(key: $0.key, value: tree($0.value)) })
        case let elements as [Any]: return .array(elements.map(tree))
        case let text as String: return .string(text)
        case let date as Date: return .date(date.timeIntervalSinceReferenceDate)
        case let data as Data: return .data(Array(data))
        case let number as NSNumber:
            switch unsafe String(cString: number.objCType) {
            case "c", "B": return .boolean(number.boolValue)
            case "d", "f": return .real(number.doubleValue)
            default: return .integer(PropertyListInteger(number.int64Value))
            }
        default: return .string("unknown \(type(of: object))")
        }
    }
}
