import Bytes
import Testing

/// A growing block of bytes.
@Suite struct ByteBufferTests {
    private static func bytes(_ write: (inout ByteBuffer) -> Void) -> [UInt8] {
        var buffer = ByteBuffer()
        write(&buffer)
        return buffer.span.indices.map { buffer.span[$0] }
    }

    @Test("Runs of every length up to 100 are appended byte for byte, whatever is before them")
    func runs() {
        for before in 0..<9 {
            for count in 0...100 {
                let run = (0..<count).map { UInt8($0) }
                let appended = Self.bytes { buffer in
                    buffer.append(.max, repeated: before)
                    buffer.append(run.span)
                }
                #expect(appended == Array(repeating: 0xFF, count: before) + run)
            }
        }
    }

    @Test("Words are appended lowest or highest byte first")
    func words() {
        #expect(Self.bytes { $0.append(littleEndian: 0x0102_0304_0506_0708) } == [8, 7, 6, 5, 4, 3, 2, 1])
        #expect(Self.bytes { $0.append(bigEndian: 0x0102_0304_0506_0708, width: 8) } == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(Self.bytes { $0.append(bigEndian: 0xFF_0304, width: 2) } == [3, 4])
    }

    @Test("Numbers are appended in decimal digits")
    func numbers() {
        #expect(Self.bytes { $0.append(decimal: 0) } == Array("0".utf8))
        #expect(Self.bytes { $0.append(decimal: .max) } == Array("18446744073709551615".utf8))
        var numbers: [UInt64] = (0..<20_000).map { $0 }
        for power in 1...64 { numbers += [.max >> UInt64(64 - power), .max >> UInt64(64 - power) &+ 1] }
        var ten: UInt64 = 1
        for _ in 0..<19 {
            ten *= 10
            numbers += [ten - 1, ten, ten + 1, ten / 2, ten / 9]
        }
        for _ in 0..<10_000 { numbers.append(.random(in: 0 ... .max) >> UInt64.random(in: 0..<64)) }
        let wrong = numbers.filter { number in Self.bytes { $0.append(decimal: number) } != Array("\(number)".utf8) }
        #expect(wrong == [])
        #expect(Self.bytes { $0.append(7, digits: 4) } == Array("0007".utf8))
        #expect(Self.bytes { $0.append(12_345, digits: 2) } == Array("45".utf8))
    }

    @Test(
        "Base64 has four characters for three bytes, the last group padded",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(_ text: String, _ encoded: String) {
        #expect(Self.bytes { $0.append(base64: text.utf8Span.span) } == Array(encoded.utf8))
    }

    @Test("A buffer that cannot grow keeps its content, drops the rest, and reports it")
    func incomplete() {
        var buffer = ByteBuffer()
        buffer.append("0123456789" as StaticString)
        var isIncomplete = buffer.isIncomplete
        #expect(!isIncomplete)
        // More than there are addresses.
        let hasRoom = buffer.reserve(1 << 60)
        isIncomplete = buffer.isIncomplete
        #expect(!hasRoom && isIncomplete)
        let before = buffer.span.indices.map { buffer.span[$0] }
        buffer.append(1)
        buffer.append([2, 3].span)
        buffer.append("4" as StaticString)
        buffer.append("5")
        buffer.append(littleEndian: 6)
        buffer.append(bigEndian: 7, width: 3)
        buffer.append(8, repeated: 80)
        buffer.append(decimal: 9)
        buffer.append(base64: [10].span)
        buffer.replace(at: 9, with: [11, 12].span)
        buffer.set(13, at: 10)
        let after = buffer.span.indices.map { buffer.span[$0] }
        #expect(after == before)
        buffer.truncate(to: 0)
        buffer.append(1)
        let none = ByteBuffer(capacity: 1 << 60)
        let states = [buffer.isIncomplete, none.isIncomplete]
        let counts = [buffer.count, none.count]
        #expect(states == [true, true] && counts == [0, 0])
    }

    @Test("Bytes are overwritten, taken from the front and discarded at the end")
    func edits() {
        let edited = Self.bytes { buffer in
            buffer.append("0123456789" as StaticString)
            buffer.replace(at: 2, with: "xy".utf8Span.span)
            buffer.set(UInt8(ascii: "z"), at: 9)
            buffer.removeFirst(1)
            buffer.truncate(to: 4)
            buffer.append("é")
        }
        #expect(edited == Array("1xy4é".utf8))
    }
}
