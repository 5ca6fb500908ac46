import HTTPServer

extension Request {
    /// Hands over each range of types that `Accept` names (RFC 9110, section 12.5.1); several lines are one list.
    ///
    /// - Parameter visit: takes the range without its parameters, `application/json`, and with them.
    func forEachMediaRange(_ visit: (_ name: Span<UInt8>, _ range: Span<UInt8>) -> Void) {
        forEachLine(of: .accept) { line in
            line.forEachElement(dividedBy: UInt8(ascii: ",")) { range in
                guard !range.isEmpty, range[0] != UInt8(ascii: ";") else { return true }
                visit(range.trimmed(0, range.index(of: UInt8(ascii: ";"))), range)
                return true
            }
        }
    }

    /// How well a range is liked, in thousandths; 1,000 if that is not told, or malformed.
    static func quality(of range: Span<UInt8>) -> Int {
        var quality: Int?
        range.forEachElement(dividedBy: UInt8(ascii: ";")) { parameter in
            guard parameter.count > 1, parameter[0] | 0x20 == UInt8(ascii: "q"), parameter[1] == UInt8(ascii: "=")
            else { return true }
            quality = thousandths(parameter.extracting(2..<parameter.count))
            return false
        }
        return quality ?? 1_000
    }

    /// `0` or `1`, with up to three decimals; nil for anything else.
    private static func thousandths(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty, text.count <= 5 else { return nil }
        var value = 0
        var worth = 1_000
        for index in text.indices {
            if index == 1 {
                guard text[index] == UInt8(ascii: ".") else { return nil }
                continue
            }
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value += Int(digit) * worth
            worth /= 10
        }
        return value <= 1_000 ? value : nil
    }
}
