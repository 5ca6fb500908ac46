import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Keys that were made to meet in one place of the index of a level.
@Suite struct CollisionTests {
    @Test("Keys whose hashes agree in the bits of the table are found in as few steps as others")
    func partialCollisions() throws {
        // The table for so many rows has 512 places: but for the seed these would all begin at the same one.
        var titles: [String] = []
        var number = 0
        while titles.count < 300 {
            let title = "row \(number)"
            if ContentHash.short(of: Array(title.utf8).span) & 0x1FF == 0 { titles.append(title) }
            number += 1
        }
        let level = try level(titles)
        let bytes = level.bytes
        var steps = 0
        for (row, title) in titles.enumerated() {
            let hash = ContentHash.short(of: Array(title.utf8).span)
            let found = level.keyIndex.row(hash: hash, in: bytes.span) { candidate in
                steps += 1
                return level.key(candidate) == title
            }
            #expect(found == row)
        }
        #expect(steps < 10 * titles.count)
    }

    @Test("Keys that have one whole hash are found, and refused where they are more than chance could bring")
    func wholeCollisions() throws {
        let titles = Self.colliding.map(Self.title)
        #expect(Set(titles).count == 18)
        #expect(Set(titles.map { ContentHash.short(of: Array($0.utf8).span) }).count == 1)
        let level = try level(Array(titles.dropLast()))
        let found = titles.map { level.row(withKey: Array($0.utf8).span) }
        #expect(found == Array(0..<17) + [nil])
        let sentence =
            "more than 16 keys of one level share a hash (XXH3-64), which does not happen by chance; change their titles"
        #expect(refusal(titles) == sentence)
    }

    /// Sixteen digits for each number: XXH3-64 adds up a sum for each sixteen bytes, so that equal sums can be searched
    /// for part by part (D. Wagner, A Generalized Birthday Problem, 2002).
    private static func title(_ numbers: [Int]) -> String {
        numbers.map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private static let colliding = [
        [515, 259031, 135435, 3550, 17117, 17042, 33078, 51634],
        [608, 79192, 21111, 179445, 234777, 32707, 141916, 163553],
        [892, 175471, 130678, 195333, 49830, 95001, 77141, 118766],
        [1086, 58002, 62612, 123142, 3485, 178330, 161136, 121294],
        [1478, 161080, 259160, 183762, 187788, 128288, 221299, 35861],
        [2284, 3716, 238135, 236539, 111462, 193852, 143631, 182502],
        [2294, 244056, 150839, 57709, 77099, 78919, 242043, 193971],
        [3260, 30955, 99489, 47412, 232831, 213093, 98740, 58399],
        [4521, 82826, 100586, 6661, 225953, 13035, 132927, 18882],
        [5890, 2353, 204391, 104386, 93400, 146703, 12960, 233854],
        [6824, 214958, 166325, 88332, 6909, 206034, 241238, 134206],
        [7349, 158604, 146198, 215611, 134596, 148392, 61031, 174968],
        [9401, 169288, 252361, 149223, 63417, 36746, 102727, 76364],
        [9605, 170478, 240223, 155540, 203199, 53490, 4284, 88719],
        [11095, 21706, 50258, 126061, 79564, 36144, 164293, 38242],
        [12549, 172329, 160230, 33002, 236279, 199069, 202782, 24091],
        [15841, 236179, 228424, 254040, 200785, 253443, 141674, 8090],
        [16550, 193450, 62232, 138141, 141541, 6561, 154709, 27589],
    ]

    private func level(_ titles: [String]) throws -> Level {
        try #require(try Value.array(titles.map(Value.string)).tree().document.child(0))
    }

    private func refusal(_ titles: [String]) -> String? {
        do throws(PropertyListError) {
            _ = try Value.array(titles.map(Value.string)).tree()
            return nil
        } catch {
            return error.reason
        }
    }
}
