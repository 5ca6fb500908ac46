extension UInt8 {
    /// The value of this byte as a hexadecimal digit, in either case; nil if it is not one.
    @inlinable @inline(__always)
    public var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension String {
    /// A number in hexadecimal, with leading zeros up to a number of digits.
    public init(hexadecimal number: some UnsignedInteger, digits: Int, uppercase: Bool = true) {
        let text = String(number, radix: 16, uppercase: uppercase)
        self = String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}
