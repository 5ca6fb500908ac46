import Glibc
import PropertyLists
import Testing

@Suite("The binary reader refuses")
struct BinaryRefusalTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        let document: [UInt8]
        let sentence: String
        var testDescription: String { what }

        init(_ what: String, _ document: BinaryDocument, _ sentence: String) {
            self.init(what, document.bytes, sentence)
        }

        init(_ what: String, _ document: [UInt8], _ sentence: String) {
            self.what = what
            self.document = document
            self.sentence = sentence
        }
    }

    private static let small = BinaryDocument([0x09])

    @Test(
        "a frame that does not hold together",
        arguments: [
            Case(
                "nothing at all", [],
                "byte 0: the document has 0 bytes, but a binary property list has at least 42"),
            Case(
                "one byte too few", Array(small.with { $0.offsetWidth = 1 }.bytes.dropLast()),
                "byte 41: the document has 41 bytes, but a binary property list has at least 42"),
            Case(
                "offsets of nine bytes", BinaryDocument([0x10, 1]).with { $0.offsetWidth = 9 },
                "byte 19: the trailer gives an offset 9 bytes, but it must be 1 to 8; the document may have been truncated"
            ),
            Case(
                "references of no bytes", small.with { $0.referenceWidth = 0 },
                "byte 11: the trailer gives a reference 0 bytes, but it must be 1 to 8; the document may have been truncated"
            ),
            Case(
                "a root after the last object", small.with { $0.root = 1 },
                "byte 11: the trailer names object 1 as the root, but the document has 1 objects; the document may have been truncated"
            ),
            Case(
                "an offset table in the trailer", small.with { $0.tableOffset = 11 },
                "byte 11: the trailer puts the offset table of 1 objects at byte 11, where it does not fit; the document may have been truncated"
            ),
            Case(
                "another version", Array("bplist15".utf8) + small.bytes.dropFirst(8),
                "byte 0: the document does not begin with bplist00; other versions of the format are not supported"),
            Case(
                "offsets of no bytes", BinaryDocument([0x10, 1]).with { $0.offsetWidth = 0 },
                "byte 10: the trailer gives an offset 0 bytes, but it must be 1 to 8; the document may have been truncated"
            ),
            Case(
                "references of nine bytes", small.with { $0.referenceWidth = 9 },
                "byte 11: the trailer gives a reference 9 bytes, but it must be 1 to 8; the document may have been truncated"
            ),
            Case(
                "no objects", small.with { $0.objectCount = 0 },
                "byte 11: the trailer names object 0 as the root, but the document has 0 objects; the document may have been truncated"
            ),
            Case(
                "a root that is not there", small.with { $0.root = .max },
                "byte 11: the trailer names object 18446744073709551615 as the root, but the document has 1 objects; the document may have been truncated"
            ),
            Case(
                "more objects than bytes", small.with { $0.objectCount = .max },
                "byte 11: the trailer puts the offset table of 18446744073709551615 objects at byte 9, "
                    + "where it does not fit; the document may have been truncated"),
            Case(
                "one object too many for the table", small.with { $0.objectCount = 2 },
                "byte 11: the trailer puts the offset table of 2 objects at byte 9, where it does not fit; the document may have been truncated"
            ),
            Case(
                "an offset table beyond the end", small.with { $0.tableOffset = .max },
                "byte 11: the trailer puts the offset table of 1 objects at byte 18446744073709551615, "
                    + "where it does not fit; the document may have been truncated"),
            Case(
                "an offset table in the header", small.with { $0.tableOffset = 8 },
                "byte 11: the trailer puts the offset table of 1 objects at byte 8, where it does not fit; the document may have been truncated"
            ),
            Case(
                "an offset beyond the objects", small.with { $0.offsets = [0: 9] },
                "byte 9: object 0 has the offset 9, but objects occupy bytes 8 to 8"),
            Case(
                "an offset in the header", small.with { $0.offsets = [0: 7] },
                "byte 9: object 0 has the offset 7, but objects occupy bytes 8 to 8"),
            Case(
                "an offset of an object that follows a later one",
                BinaryDocument([0xA2, 2, 1], [0x09], [0x09]).with { $0.offsets = [1: 13] },
                "byte 15: object 1 has the offset 13, but objects occupy bytes 8 to 12"),
            Case(
                "an offset beyond all integers",
                small.with {
                    $0.offsetWidth = 8
                    $0.offsets = [0: .max]
                },
                "byte 9: object 0 has the offset 18446744073709551615, but objects occupy bytes 8 to 8"),
        ])
    func frame(_ refused: Case) {
        #expect(Format.binary.refusal(of: refused.document) == refused.sentence)
    }

    @Test(
        "an object that is none",
        arguments: [
            Case(
                "an integer of 65 bits",
                BinaryDocument([0x14, 0, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 8)),
                "byte 8: an integer must be from -9223372036854775808 to 18446744073709551615"),
            Case(
                "an integer that ends in the offset table", BinaryDocument([0x13, 0, 0]),
                "byte 8: the object's size, 9, takes it past byte 11, where objects end"),
            Case(
                "a date beyond 9999", BinaryDocument([0x33, 0x42, 0x50, 0, 0, 0, 0, 0, 0]),
                "byte 8: a date must be in the years 1 to 9999, but this one is 274877906944.0 s from 2001"),
            Case(
                "a date that is no number", BinaryDocument([0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]),
                "byte 8: a date must be in the years 1 to 9999, but this one is nan s from 2001"),
            Case(
                "ASCII that is not", BinaryDocument([0x52, 0x61, 0xE9]),
                "byte 8: an ASCII string must not have a byte above 0x7f; store other text as UTF-16"),
            Case(
                "a high surrogate alone", BinaryDocument([0x62, 0, 0x61, 0xD8, 0]),
                "byte 8: code unit 1 of a UTF-16 string is a surrogate without its other half"),
            Case(
                "a low surrogate alone", BinaryDocument([0x62, 0xDC, 0, 0, 0x61]),
                "byte 8: code unit 0 of a UTF-16 string is a surrogate without its other half"),
            Case(
                "a text longer than the document", BinaryDocument([0x5F, 0x12, 0x7F, 0xFF, 0xFF, 0xFF, 0x41]),
                "byte 8: the object's size, 2147483647, takes it past byte 15, where objects end"),
            Case(
                "a UTF-16 text whose bytes overflow",
                BinaryDocument([0x6F, 0x13] + Array(repeating: 0xFF, count: 8) + [0, 0x41]),
                "byte 8: the object's size, 18446744073709551615, takes it past byte 20, where objects end"),
            Case(
                "an array whose references overflow",
                BinaryDocument([0xAF, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 1, 0]).with { $0.referenceWidth = 8 },
                "byte 8: the object's size, 9223372036854775809, takes it past byte 19, where objects end"),
            Case(
                "a dictionary without room for its values", BinaryDocument([0xD2, 0, 0]),
                "byte 8: the object's size, 2, takes it past byte 11, where objects end"),
            Case(
                "a count that is a string", BinaryDocument([0xAF, 0x51, 0x00]),
                "byte 8: a count must be an integer of 1 to 8 bytes, but its token is 0x51"),
            Case(
                "a count of 16 bytes", BinaryDocument([0xAF, 0x14] + Array(repeating: 0, count: 16)),
                "byte 8: a count must be an integer of 1 to 8 bytes, but its token is 0x14"),
            Case(
                "a reference to the number of objects", BinaryDocument([0xA1, 1]),
                "byte 8: the container refers to object 1, but the document has 1 objects"),
            Case(
                "a key that refers to nothing", BinaryDocument([0xD1, 2, 1], [0x09]),
                "byte 8: the container refers to object 2, but the document has 2 objects"),
            Case(
                "a key of data", BinaryDocument([0xD1, 1, 1], [0x41, 1]),
                "byte 11: a dictionary's key must be a string, but the token here is 0x41"),
            Case(
                "a reference to nothing", BinaryDocument([0xA1, 9]),
                "byte 8: the container refers to object 9, but the document has 1 objects"),
            Case(
                "a reference beyond all integers",
                BinaryDocument([0xA1] + Array(repeating: 0xFF, count: 8)).with { $0.referenceWidth = 8 },
                "byte 8: the container refers to object 18446744073709551615, but the document has 1 objects"),
            Case(
                "a key that is a number", BinaryDocument([0xD1, 1, 1], [0x10, 1]),
                "byte 11: a dictionary's key must be a string, but the token here is 0x10"),
            Case(
                "an integer of 16 bytes below -2^63",
                BinaryDocument([0x14] + Array(repeating: 0xFF, count: 8) + [0x7F] + Array(repeating: 0xFF, count: 7)),
                "byte 8: an integer must be from -9223372036854775808 to 18446744073709551615"),
            Case(
                "a UID of 65 bits", BinaryDocument([0x88, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
                "byte 8: a UID must be below 18446744073709551616"),
        ])
    func object(_ refused: Case) {
        #expect(Format.binary.refusal(of: refused.document) == refused.sentence)
    }

    @Test("every token that is not one of a property list")
    func tokens() {
        let known: [ClosedRange<UInt8>] = [
            0x08...0x09, 0x0F...0x0F, 0x10...0x14, 0x22...0x23, 0x33...0x33, 0x40...0x6F, 0x80...0x8F, 0xA0...0xAF,
            0xD0...0xDF,
        ]
        for token in UInt8.min...UInt8.max where !known.contains(where: { $0.contains(token) }) {
            let name = "0x" + (token < 16 ? "0" : "") + String(token, radix: 16)
            let reason =
                switch token {
                case 0x00: "a property list cannot contain null (token 0x00)"
                case 0x15...0x1F: "an integer must have 1, 2, 4, 8 or 16 bytes"
                case 0x70...0x7F:
                    "a string must be ASCII or UTF-16; UTF-8 (token \(name)) does not belong to this version of the format"
                case 0xB0...0xCF: "sets (token \(name)) are not supported; use an array"
                default: "the token \(name) is not a property list type"
                }
            #expect(
                Format.binary.refusal(of: BinaryDocument([token] + Array(repeating: 0, count: 40)).bytes)
                    == "byte 8: \(reason)")
        }
    }

    @Test(
        "an object of which the last byte is missing",
        arguments: [
            ([0x10, 1], 2), ([0x11, 0, 1], 3), ([0x12, 0, 0, 0, 1], 5), ([0x13] + Array(repeating: 0, count: 8), 9),
            ([0x14] + Array(repeating: 0, count: 16), 17), ([0x22, 0, 0, 0, 0], 5),
            ([0x23] + Array(repeating: 0, count: 8), 9),
            ([0x33] + Array(repeating: 0, count: 8), 9), ([0x41, 1], 1), ([0x4F, 0x10, 2, 1, 2], 2),
            ([0x52, 0x61, 0x61], 2),
            ([0x61, 0, 0x61], 1), ([0x80, 1], 2), ([0x8F] + Array(repeating: 0, count: 16), 17), ([0xA1, 0], 1),
            ([0xD1, 0, 0], 1),
        ] as [([UInt8], Int)])
    func cutObject(object: [UInt8], size: Int) {
        let end = 8 + object.count - 1
        let document = BinaryDocument(object.dropLast()).bytes
        #expect(
            Format.binary.refusal(of: document)
                == "byte 8: the object's size, \(size), takes it past byte \(end), where objects end")
    }

    @Test("every document that is cut short, wherever it is")
    func truncation() throws {
        var random = RandomTrees(seed: 1)
        let document = try Format.binary.write(.array([random.tree(depth: 4), random.tree(depth: 4)]))
        for count in 0..<document.count { #expect(Format.binary.refusal(of: Array(document.prefix(count))) != nil) }
    }

    @Test("an object that holds itself, and names it")
    func cycles() {
        #expect(
            Format.binary.refusal(of: BinaryDocument([0xA1, 0]).bytes)
                == "byte 8: object 0 contains itself, but a property list cannot have cycles")
        let indirect = BinaryDocument([0xA1, 1], [0xD1, 2, 3], [0x51, 0x61], [0xA1, 1]).bytes
        #expect(
            Format.binary.refusal(of: indirect, limits: PropertyListLimits(nesting: 5))
                == "byte 10: in /a/a: object 1 contains itself, but a property list cannot have cycles")
        // Wide enough that the budget for values is spent before the depth is reached.
        let wide = BinaryDocument([0xAF, 0x11, 0x03, 0xE9] + Array(repeating: 1, count: 1_000) + [0], [0x09])
        #expect(
            Format.binary.refusal(of: wide.bytes)
                == "byte 1013: object 0 contains itself, but a property list cannot have cycles")
    }

    @Test("mere depth past the limit, and not before")
    func depth() throws {
        let document = BinaryDocument([0xA1, 1], [0xA1, 2], [0xA1, 3], [0xA0]).bytes
        #expect(try Format.binary.read(document, limits: PropertyListLimits(nesting: 4)) == [[[[]]]])
        #expect(
            Format.binary.refusal(of: document, limits: PropertyListLimits(nesting: 3))
                == "byte 14: the document nests deeper than 3 containers; flatten it")
    }

    @Test("206 bytes that stand for 2^40 values")
    func expansion() {
        var document = BinaryDocument()
        document.objects = (1...40).map { [0xA2, $0, $0] } + [[0x54, 0x73, 0x65, 0x65, 0x64]]
        document.offsetWidth = 1
        #expect(document.bytes.count == 206)
        #expect(
            Format.binary.refusal(of: document.bytes)
                == "byte 122: the document's shared objects expand to more than 103296 values, the most that its size allows"
        )
    }

    @Test("a long text that is shared until it would fill the memory")
    func textExpansion() {
        let size = 200_000
        let text =
            [0x5F, 0x12] + BinaryDocument.bigEndian(UInt64(size), width: 4) + [UInt8](repeating: 0x61, count: size)
        let document = BinaryDocument([0xAF, 0x11, 0x03, 0xE8] + Array(repeating: 1, count: 1_000), text).with {
            $0.offsetWidth = 4
        }
        let allowed = 64 * document.bytes.count + 64 << 20
        #expect(
            Format.binary.refusal(of: document.bytes)
                == "byte 1012: the document's shared texts expand to more than \(allowed) bytes, the most that its size allows"
        )
    }

    @Test("more values, or a longer one, than the limits allow")
    func limits() throws {
        let document = BinaryDocument([0xA2, 1, 1], [0x53, 0x61, 0x62, 0x63]).bytes
        #expect(
            try Format.binary.read(document, limits: PropertyListLimits(valueBytes: 3, values: 3)) == ["abc", "abc"])
        #expect(
            Format.binary.refusal(of: document, limits: PropertyListLimits(values: 2))
                == "byte 11: the document holds more than 2 values; split it")
        #expect(
            Format.binary.refusal(of: document, limits: PropertyListLimits(valueBytes: 2))
                == "byte 11: a value is longer than 2 bytes; store large data in separate files")
    }

    @Test("a UTF-16 text that is longer than the limit allows once it is UTF-8")
    func convertedText() throws {
        let plain = BinaryDocument([0x62, 0, 0x61, 0, 0x62]).bytes
        #expect(try Format.binary.read(plain, limits: PropertyListLimits(valueBytes: 2)) == "ab")
        let document = BinaryDocument([0x62, 0, 0xE9, 0, 0xE9]).bytes
        #expect(try Format.binary.read(document, limits: PropertyListLimits(valueBytes: 4)) == "éé")
        #expect(
            Format.binary.refusal(of: document, limits: PropertyListLimits(valueBytes: 3))
                == "byte 8: a value is longer than 3 bytes; store large data in separate files")
    }

    @Test("a file that is cut short while it is read")
    func shrinkingFile() throws {
        let document = BinaryDocument([0x5F, 0x11, 0x75, 0x30] + Array(repeating: 0x61, count: 30_000)).bytes
        let descriptor = try #require(temporaryFile(of: document))
        defer { close(descriptor) }
        var recorder = TreeRecorder()
        try Format.binary.read(
            .file(descriptor: descriptor, size: document.count), limits: PropertyListLimits(), into: &recorder)
        #expect(recorder.root == .string(String(repeating: "a", count: 30_000)))
        #expect(
            throws: PropertyListError(
                reason: "the file was truncated while it was being read", at: .byte(offset: document.count))
        ) {
            try Format.binary.read(
                .file(descriptor: descriptor, size: document.count + 100), limits: PropertyListLimits(), into: &recorder
            )
        }
    }

    /// A file without a name, which is gone once it is closed.
    private func temporaryFile(of bytes: [UInt8]) -> Int32? {
        guard let stream = unsafe tmpfile() else { return nil }
        let descriptor = unsafe dup(fileno(stream))
        unsafe fclose(stream)
        guard descriptor >= 0, unsafe write(descriptor, bytes, bytes.count) == bytes.count else { return nil }
        return descriptor
    }
}
