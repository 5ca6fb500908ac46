/// A hash that is the same in every process: FNV-1a with 64 bits, of which files are named and checked.
///
/// It guards against damage, not against an adversary.
struct StableHash {
    private(set) var value: UInt64

    init(_ bytes: some Sequence<UInt8>, basis: UInt64 = 0xcbf2_9ce4_8422_2325) {
        value = bytes.reduce(into: basis) { value, byte in value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// The value as 16 hexadecimal digits.
    var digits: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// 32 hexadecimal digits that identify a text.
    static func name(of text: String) -> String {
        let first = StableHash(text.utf8)
        return first.digits + StableHash(text.utf8, basis: first.value).digits
    }
}
