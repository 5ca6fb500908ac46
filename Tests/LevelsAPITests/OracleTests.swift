import Foundation
import Testing

@testable import TestDocuments

/// Every answer about random documents, against what plain code makes of the same documents.
@Suite struct OracleTests {
    private static let contents: RandomDocument.Contents = [
        .foundation, .uids, .textBeyondXML,
    ]

    @Test("All levels and details of random documents equal the result of plain code", arguments: 0..<8)
    func everyAnswer(_ part: Int) throws {
        var asked = 0
        for seed in UInt64(part * 8)..<UInt64(part * 8 + 8) {
            var random = RandomDocument(seed: seed, Self.contents)
            let value = random.document()
            let desk = Desk(Desk.snapshot(try value.tree()))
            // The oracle knows parents weakly: the root keeps them all.
            let root = OracleItem(value, isRoot: true)
            var waiting = [root]
            while let item = waiting.popLast() {
                waiting += item.rows
                asked += 1
                try compare(desk, OracleJSON.link("/levels/", item), OracleJSON.level(item), seed)
                try compare(desk, OracleJSON.link("/detail/", item), OracleJSON.detail(item), seed)
            }
        }
        #expect(asked > 20)
    }

    private func compare(_ desk: Desk, _ target: String, _ expected: [String: Any], _ seed: UInt64) throws {
        let answer = desk.get(target)
        #expect(answer.status == 200, "seed \(seed), \(target)")
        var object = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        let version = object.removeValue(forKey: "version") as? String
        #expect(version.map { "\"\($0)\"" } == answer.entityTag)
        let follow = object.removeValue(forKey: "follow") as? String
        #expect(follow == "\(target)?since=\(version ?? "")&wait=20&format=json", "seed \(seed)")
        if target.hasPrefix("/detail/") {
            #expect((object.removeValue(forKey: "fieldsVersion") as? String)?.count == 8)
        }
        if var rows = object["rows"] as? [[String: Any]] {
            for number in rows.indices { #expect((rows[number].removeValue(forKey: "version") as? String)?.count == 8) }
            object["rows"] = rows
        }
        let difference = Self.difference(object, expected)
        #expect(difference == nil, "seed \(seed), \(target)")
    }

    /// Where two object graphs first differ, byte for byte, and in what; nil where they are the same.
    private static func difference(_ actual: Any?, _ expected: Any?) -> String? {
        switch (actual, expected) {
        case (nil, nil), (is NSNull, is NSNull): return nil
        case (let one as String, let two as String) where one.utf8.elementsEqual(two.utf8): return nil
        case (let one as NSNumber, let two as NSNumber) where isSame(one, two): return nil
        case (let one as [Any], let two as [Any]) where one.count == two.count:
            return one.indices.lazy.compactMap { index in
                difference(one[index], two[index]).map { "\(index)/\($0)" }
            }.first
        case (let one as [String: Any], let two as [String: Any]):
            return Set(one.keys).union(two.keys).lazy.compactMap { key in
                difference(one[key], two[key]).map { "\(key)/\($0)" }
            }.first
        default: return "\(actual.debugDescription) and not \(expected.debugDescription)"
        }
    }

    /// JSONSerialization reads some numbers as decimal ones, not quite exactly; the digits are asserted elsewhere.
    private static func isSame(_ one: NSNumber, _ two: NSNumber) -> Bool {
        let areFlags = (unsafe String(cString: one.objCType) == "c", unsafe String(cString: two.objCType) == "c")
        guard areFlags.0 == areFlags.1 else { return false }
        return abs(one.doubleValue - two.doubleValue) <= abs(two.doubleValue) * 1e-14
    }
}
