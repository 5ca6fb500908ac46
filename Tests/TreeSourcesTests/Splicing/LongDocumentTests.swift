import Levels
import Testing

@testable import TestDocuments

/// A document written by hand, of some 400 lines, through 150 edits in three encodings, and their opposites.
struct LongDocumentTests {
    enum Encoding: CaseIterable { case utf8, crlf, utf16 }

    /// Two levels of rows with comments and odd indentation.
    private static func document(_ encoding: Encoding) -> String {
        var generator = SeededGenerator(seed: 4)
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-\(encoding == .utf16 ? 16 : 8)\"?>", "<plist version=\"1.0\">",
        ]
        lines += ["<dict>", "  <key>Rows</key>", "  <array>"]
        for number in 0..<30 {
            let indent = String(repeating: " ", count: 4)
            if generator.one(in: 3) {
                lines.append("\t<!-- above \(number)")
                lines.append("    it -->")
            }
            lines += [indent + "<dict>  <!-- \(number) -->", indent + "   <key>Title</key>", ""]
            lines.append(
                indent + "   <string>Item \(number)</string>" + (generator.one(in: 3) ? " <!-- beside -->" : ""))
            lines += [indent + "   <key>Children</key>", indent + " <array>"]
            for row in 0..<4 + generator.below(4) {
                let inner = indent + "     "
                if generator.one(in: 5) { lines.append("<!-- between -->") }
                lines.append(inner + "<string>Row \(row)</string>" + (generator.one(in: 4) ? "  <!-- r -->" : ""))
            }
            lines += [indent + " </array>", indent + "</dict>"]
        }
        lines += ["  </array>", "</dict>", "</plist>", ""]
        return lines.joined(separator: encoding == .utf8 ? "\n" : "\r\n")
    }

    private static func bytes(_ text: String, _ encoding: Encoding) -> [UInt8] {
        guard encoding == .utf16 else { return Array(text.utf8) }
        return ("\u{FEFF}" + text).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    /// How many bytes, and how many line ends among them, are between what both texts begin and end with.
    private struct Difference {
        let old: Int
        var oldLines = 0, newLines = 0

        init(_ old: [UInt8], _ new: [UInt8]) {
            let most = min(old.count, new.count)
            var start = 0
            while start < most, old[start] == new[start] { start += 1 }
            var end = 0
            while end < most - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
            self.old = old.count - start - end
            for byte in old[start..<old.count - end] where byte == 10 { oldLines += 1 }
            for byte in new[start..<new.count - end] where byte == 10 { newLines += 1 }
        }
    }

    @Test(
        "an edit changes the lines of its item alone, and its opposite gives the file back",
        arguments: Encoding.allCases)
    func everyEditAndItsOpposite(_ encoding: Encoding) throws {
        let original = Self.bytes(Self.document(encoding), encoding)
        let first = try EditedText(original)
        #expect(original.count { $0 == 10 } > 400)
        var generator = SeededGenerator(seed: 7)
        for number in RandomRounds.first(24) {
            let item = "/Item%20\(generator.below(30))"
            var edited = first
            let opposite: [Edit]
            // How many lines go and come; within a line that is changed, nothing else differs.
            let (gone, come): (Int, Int)
            switch number % 4 {
            case 0:
                try edited.apply([.insert("\"New\"", item, .offset(generator.below(5)))])
                opposite = [try .delete(item + "/New")]
                (gone, come) = (0, 1)
            case 1:
                try edited.apply([.patch("{\"Title\":\"T\"}", item)])
                let title = item.dropFirst().replacing("%20", with: " ")
                opposite = [try .patch("{\"Title\":\"\(title)\"}", "/T")]
                (gone, come) = (0, 0)
            case 2:
                try edited.apply([.put("\"R\"", item + "/Row%20\(generator.below(4))")])
                opposite = []
                (gone, come) = (0, 0)
            default:
                try edited.apply([.delete(item + "/Row%20\(generator.below(4))")])
                opposite = []
                (gone, come) = (1, 0)
            }
            let difference = Difference(original, edited.bytes)
            #expect(difference.oldLines == gone && difference.newLines == come, "edit \(number): \(difference)")
            #expect(gone == 1 || difference.old < 32, "edit \(number): \(difference)")
            if !opposite.isEmpty {
                try edited.apply(opposite)
                #expect(edited.bytes == original, "edit \(number)")
            }
        }
    }

    @Test("150 edits, one after the other, leave every comment that is not inside a removed item")
    func manyEdits() throws {
        var edited = try EditedText(Self.document(.crlf))
        var generator = SeededGenerator(seed: 9)
        var moved: String?
        for number in 0..<150 {
            let (one, other) = (generator.below(15), 15 + generator.below(15))
            switch number % 5 {
            case 0: try edited.apply([.insert("{\"Title\":\"N \(number)\",\"K\":[1,{}]}", "/Item%20\(one)", .first)])
            case 1:
                moved = "/Item%20\(other)/Item%20\(one)"
                try edited.apply([.move("/Item%20\(one)", below: "/Item%20\(other)", .first)])
            case 2: if let moved { try edited.apply([.move(moved, below: "/", .first)]) }
            case 3: try edited.apply([.patch("{\"Note\":\"\(number)\",\"Tag\":null}", "/Item%20\(other)")])
            default: try edited.apply([.patch("{\"Tag\":{\"a\":\(number)}}", "/Item%20\(other)")])
            }
        }
        let comments = Self.document(.crlf).ranges(of: "<!--").count
        #expect(edited.text.ranges(of: "<!--").count == comments)
        #expect(!edited.text.replacing("\r\n", with: "").contains("\n"))
    }
}
