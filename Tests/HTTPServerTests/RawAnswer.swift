/// An answer as it came over the wire.
struct RawAnswer {
    let status: Int
    let lines: [String]
    let body: String

    /// The value of the first line of a field.
    func header(_ name: String) -> String? {
        for line in lines where line.lowercased().hasPrefix(name.lowercased() + ": ") {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }

    /// The size of the first answer in the bytes, if its header states the length.
    static func announcedSize(in bytes: [UInt8]) -> Int? {
        guard let (head, start) = parse(bytes, toHead: true, isAtEnd: false), head.status != 304 else { return nil }
        return head.header("Content-Length").flatMap { Int($0) }.map { start + $0 }
    }

    /// How a body in chunks ends.
    static let lastChunk: ArraySlice = Array("0\r\n\r\n".utf8)[...]

    /// The first answer in the bytes and its size, or `nil` where it has not come whole.
    static func parse(_ bytes: [UInt8], toHead: Bool, isAtEnd: Bool) -> (RawAnswer, Int)? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let headerEnd = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<headerEnd.lowerBound].split(separator: "\r\n").map(String.init)
        let parts = lines.first?.split(separator: " ") ?? []
        guard parts.count > 1, let status = Int(parts[1]) else { return nil }
        let head = RawAnswer(status: status, lines: Array(lines.dropFirst()), body: "")
        let start = text.utf8.distance(from: text.startIndex, to: headerEnd.upperBound)
        let rest = Array(bytes[start...])
        if toHead || status == 204 || status == 304 || status < 200 { return (head, start) }
        if let length = head.header("Content-Length").flatMap({ Int($0) }) {
            guard rest.count >= length else { return nil }
            return (head.with(body: rest[..<length]), start + length)
        }
        if head.header("Transfer-Encoding") == "chunked" {
            return dechunked(rest).map { (head.with(body: $0[...]), start + $1) }
        }
        return isAtEnd ? (head.with(body: rest[...]), bytes.count) : nil
    }

    private func with(body: ArraySlice<UInt8>) -> RawAnswer {
        RawAnswer(status: status, lines: lines, body: String(decoding: body, as: UTF8.self))
    }

    /// The first chunk in the bytes and its size with its frame, or `nil` where it has not come whole.
    static func chunk(_ bytes: [UInt8]) -> (text: String, size: Int)? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let digits = String(decoding: bytes[..<end], as: UTF8.self).filter(\.isHexDigit)
        guard let size = Int(digits, radix: 16), bytes.count >= end + 1 + size + 2 else { return nil }
        return (String(decoding: bytes[(end + 1)..<(end + 1 + size)], as: UTF8.self), end + 1 + size + 2)
    }

    private static func dechunked(_ bytes: [UInt8]) -> (body: [UInt8], size: Int)? {
        var body: [UInt8] = []
        var place = 0
        while let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) {
            let digits = String(decoding: bytes[place..<end], as: UTF8.self).filter(\.isHexDigit)
            guard let size = Int(digits, radix: 16) else { return nil }
            let next = end + 1 + size + 2
            guard bytes.count >= next else { return nil }
            if size == 0 { return (body, next) }
            body += bytes[(end + 1)..<(end + 1 + size)]
            place = next
        }
        return nil
    }
}

extension String {
    /// Where a text first stands.
    func range(of text: String) -> Range<String.Index>? {
        firstRange(of: text)
    }
}
