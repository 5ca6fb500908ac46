import Locking
import Testing

@testable import HTTPServer

/// The bytes of a request in the library's memory.
@Suite("The octets of a request") struct OctetTests {
    /// The bytes that pass a test among others that pass it, wherever they are.
    private static func passing(_ body: (Octets) -> Bool) -> [UInt8] {
        (UInt8.min...UInt8.max).filter { byte in
            let outcomes = [0, 7, 8, 12].map { place in
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 13)
                bytes[place] = byte
                return unsafe bytes.withUnsafeBufferPointer { buffer in
                    unsafe buffer.baseAddress.map { unsafe body(Octets(start: $0, count: buffer.count)) }
                }
            }
            #expect(Set(outcomes).count == 1, "\(byte)")
            return outcomes[0] == true
        }
    }

    @Test("are those that the grammar allows in each part")
    func grammar() {
        let alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        #expect(Self.passing(\.isToken) == Array(("!#$%&'*+-.^_`|~" + alphanumeric).utf8).sorted())
        #expect(Self.passing(\.isHost) == Array(("-._~!$&'()*+,;=%:[]" + alphanumeric).utf8).sorted())
        #expect(Self.passing(\.isTarget) == Array(0x21...0x7E))
        #expect(Self.passing(\.isFieldValue) == [9] + Array(0x20...0x7E) + Array(0x80...0xFF))
        #expect(!Octets(kept: "").isToken && Octets(kept: "").isHost && Octets(kept: "").isFieldValue)
    }

    @Test(
        "are a number of at most 18 digits",
        arguments: [
            ("0", 0), ("007", 7), ("999999999999999999", 999_999_999_999_999_999), ("1000000000000000000", nil),
            ("", nil),
            ("+1", nil), ("1 ", nil), ("1a", nil),
        ] as [(String, Int?)])
    func number(text: String, number: Int?) {
        #expect(Octets(kept: text).number == number)
    }

    @Test("of fields and cookies have a record each in the library's memory")
    func records() {
        var fields = FieldLines()
        #expect(RequestMemory.records(of: fields) == 64)
        fields.append(FieldLine(name: Octets(kept: "host"), value: Octets(kept: "a")))
        #expect(RequestMemory.records(of: fields) == 2 * 64)
        fields.append(FieldLine(name: Octets(kept: "cookie"), value: Octets(kept: "a=1; b=2,c=3")))
        #expect(RequestMemory.records(of: fields) == 3 * 64 + 12 + 4 * 64)
        for (answer, records, fits) in [
            (1_936, 6_000, true), (1_937, 6_000, false), (0, 7_936, true), (0, 7_937, false),
        ] {
            #expect(RequestMemory.hasRoom(forHeader: answer, besideRecords: records) == fits)
        }
    }
}

/// The addresses of the texts that are never freed, so that they are no leaks.
private let keptTexts = Guarded<[UInt]>([])

extension Octets {
    /// A copy of a text that is never freed.
    fileprivate init(kept text: String) {
        let place = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count + 1)
        _ = unsafe place.initialize(fromContentsOf: text.utf8)
        keptTexts.withLock { $0.append(UInt(bitPattern: place.baseAddress)) }
        unsafe self.init(start: UnsafePointer(place.baseAddress.unsafelyUnwrapped), count: text.utf8.count)
    }
}
