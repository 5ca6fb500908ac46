/// A decoder of the bytes that a terminal sends for keys: UTF-8 text, and the control sequences of ECMA-48.
///
/// A sequence may arrive in pieces. A terminal sends the same byte for the Escape key and at the beginning of a
/// sequence. Only time distinguishes the key from a sequence: see `isInSequence` and `timeOut()`.
struct KeyDecoder {
    /// The bytes of an incomplete key.
    private var pending: [UInt8] = []

    /// The length at which an incomplete sequence is discarded.
    private static let mostBytes = 64
    private static let escape: UInt8 = 0x1B

    /// Whether the last bytes are the beginning of an incomplete key.
    var isInSequence: Bool { !pending.isEmpty }

    /// Adds received bytes, and returns the keys that they complete.
    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        var rest = pending[...]
        while !rest.isEmpty {
            guard let (key, length) = Self.next(in: rest) else { break }
            if let key { keys.append(key) }
            rest = rest.dropFirst(length)
        }
        pending = Array(rest)
        return keys
    }

    /// Ends an incomplete key, because no byte has followed for a while.
    ///
    /// - Returns: the Escape key if its byte arrived alone; otherwise no key, and the bytes are discarded.
    mutating func timeOut() -> [Key] {
        defer { pending = [] }
        return pending == [Self.escape] ? [.escape] : []
    }

    /// Returns the first key and its length in bytes; nil if the key is incomplete.
    ///
    /// `key` is nil for a sequence or a character that the browser does not use.
    private static func next(in bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case escape: return sequence(in: bytes)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x01...0x1A: return (.control(Unicode.Scalar(first | 0x60)), 1)
        case 0x20..<0x7F: return (.text(Unicode.Scalar(first)), 1)
        default: return character(first, in: bytes)
        }
    }

    // MARK: Sequences

    private static func sequence(in bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        guard bytes.count > 1 else { return nil }
        switch bytes[bytes.startIndex + 1] {
        case UInt8(ascii: "["):
            let parameters = bytes.dropFirst(2)
            guard let end = parameters.firstIndex(where: { !(0x20..<0x40).contains($0) }) else {
                return bytes.count < mostBytes ? nil : (nil, bytes.count)
            }
            let text = String(decoding: parameters[..<end], as: UTF8.self)
            return (key(final: bytes[end], parameter: text), end - bytes.startIndex + 1)
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return nil }
            return (key(final: bytes[bytes.startIndex + 2], parameter: ""), 3)
        default:
            return (.escape, 1)
        }
    }

    /// Returns the key of a control sequence. Modifiers, which follow a semicolon, are ignored.
    private static func key(final: UInt8, parameter: String) -> Key? {
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return .right
        case UInt8(ascii: "D"): return .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "M"): return .enter
        case UInt8(ascii: "~"): break
        default: return nil
        }
        switch parameter.prefix(while: { $0 != ";" }) {
        case "1", "7": return .home
        case "3": return .delete
        case "4", "8": return .end
        case "5": return .pageUp
        case "6": return .pageDown
        default: return nil
        }
    }

    // MARK: Text

    private static func character(_ first: UInt8, in bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        let length =
            switch first {
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 1
            }
        let continuation = bytes.dropFirst().prefix(length - 1).prefix { (0x80..<0xC0).contains($0) }
        guard continuation.count == length - 1 else {
            // A next byte that is not a continuation shows that the character is malformed.
            return continuation.count + 1 < bytes.count ? (nil, continuation.count + 1) : nil
        }
        let scalars = String(decoding: bytes.prefix(length), as: UTF8.self).unicodeScalars
        guard length > 1, scalars.count == 1, let scalar = scalars.first else { return (nil, length) }
        // U+0080 … U+009F are control characters.
        return (scalar.value < 0xA0 ? nil : .text(scalar), length)
    }
}

enum Key: Hashable, Sendable {
    case up, down, left, right
    case pageUp, pageDown, home, end
    case enter, escape, backspace, delete, tab
    /// A letter with the Control key, in lower case.
    case control(Unicode.Scalar)
    /// A character of text.
    case text(Unicode.Scalar)
}
