import Bytes
import CUTF8Proc

/// Folds texts for comparison without case and marks: canonical decomposition, full case folding, no marks.
///
/// The result equals the result of `utf8proc_map` with `DECOMPOSE`, `CASEFOLD` and `STRIPMARK`. Folded texts sort by
/// their bytes.
package enum FoldedText {
    private static let options = utf8proc_option_t(
        rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_DECOMPOSE.rawValue | UTF8PROC_CASEFOLD.rawValue
            | UTF8PROC_STRIPMARK.rawValue)

    /// Appends the folded form of a text; invalid UTF-8 stays as it is.
    static func append(_ text: Span<UInt8>, to output: inout ByteBuffer) {
        var index = 0
        while index < text.count {
            index += appendASCII(of: text, from: index, to: &output)
            if index < text.count { index += appendCharacter(of: text, at: index, to: &output) }
        }
    }

    /// Appends the folded form of ASCII bytes, eight at a time; returns the number of these bytes.
    @inline(__always)
    private static func appendASCII(of text: Span<UInt8>, from start: Int, to output: inout ByteBuffer) -> Int {
        var index = start
        while index <= text.count - 8 {
            let word = ByteScan.word(of: text, at: index)
            guard word & ByteScan.highBits == 0 else { break }
            let fromA = word &+ ByteScan.word(of: 0x80 - UInt8(ascii: "A"))
            let aboveZ = word &+ ByteScan.word(of: 0x7F - UInt8(ascii: "Z"))
            output.append(littleEndian: word | (fromA & ~aboveZ & ByteScan.highBits) >> 2)
            index += 8
        }
        return index - start
    }

    package static func of(_ text: Span<UInt8>) -> [UInt8] {
        var output = ByteBuffer(capacity: text.count)
        append(text, to: &output)
        return Array(copying: output.span)
    }

    /// The first code point of the folded form of a text; nil if folding leaves nothing.
    static func first(of text: Span<UInt8>) -> Unicode.Scalar? {
        var output = ByteBuffer()
        var index = 0
        while index < text.count, output.count == 0 { index += appendCharacter(of: text, at: index, to: &output) }
        return String(utf8: output.span).unicodeScalars.first
    }

    /// Appends the folded form of one code point; returns the length of the code point in the text, in bytes.
    @inline(__always)
    private static func appendCharacter(of text: Span<UInt8>, at index: Int, to output: inout ByteBuffer) -> Int {
        let byte = text[index]
        guard byte < 0x80 else { return appendCodePoint(text, at: index, to: &output) }
        output.append(byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte)
        return 1
    }

    private static func appendCodePoint(_ text: Span<UInt8>, at index: Int, to output: inout ByteBuffer) -> Int {
        var codePoint: Int32 = 0
        let size = unsafe text.withUnsafeBufferPointer { source in
            unsafe utf8proc_iterate(source.baseAddress?.advanced(by: index), source.count - index, &codePoint)
        }
        guard size > 0 else {
            output.append(text[index])
            return 1
        }
        // The decomposition of a code point has at most 18 code points (U+FDFA).
        var folded: InlineArray<32, Int32> = .init(repeating: 0)
        var span = folded.mutableSpan
        let count = unsafe span.withUnsafeMutableBufferPointer { buffer in
            unsafe utf8proc_decompose_char(codePoint, buffer.baseAddress, buffer.count, options, nil)
        }
        for place in 0..<min(max(count, 0), 32) { output.append(codePoint: folded[place]) }
        return size
    }
}

extension ByteBuffer {
    mutating func append(codePoint: Int32) {
        var bytes: InlineArray<4, UInt8> = .init(repeating: 0)
        var span = bytes.mutableSpan
        let count = unsafe span.withUnsafeMutableBufferPointer { buffer in
            unsafe utf8proc_encode_char(codePoint, buffer.baseAddress)
        }
        for place in 0..<min(max(count, 0), 4) { append(bytes[place]) }
    }
}

/// The letter under which an index of letters lists a title.
package enum InitialLetter {
    /// Stands for all titles that do not begin with a letter.
    static let other = "#"

    /// The first character of the folded title, in upper case, if that character is a letter (general category L);
    /// otherwise `#`.
    ///
    /// First letters with the same upper case, such as `i` and `ı`, give the same letter.
    package static func of(_ title: Span<UInt8>) -> String {
        if let byte = title.isEmpty ? nil : title[0], byte < 0x80 {
            let letter = byte & 0xDF
            return letter &- UInt8(ascii: "A") < 26 ? String(Unicode.Scalar(letter)) : other
        }
        guard let first = FoldedText.first(of: title), isLetter(first) else { return other }
        return first.properties.uppercaseMapping
    }

    /// Appends bytes that sort in the order of the letters, with `#` last.
    static func appendKey(of title: Span<UInt8>, to key: inout ByteBuffer) {
        let letter = of(title)
        guard letter != other else { return key.append(0xFF as UInt8) }
        key.append(letter)
        // No letter is a prefix of another letter.
        key.append(0 as UInt8)
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        utf8proc_category(Int32(bitPattern: scalar.value)).isLetter
    }
}

extension utf8proc_category_t {
    var isLetter: Bool { (UTF8PROC_CATEGORY_LU.rawValue...UTF8PROC_CATEGORY_LO.rawValue).contains(rawValue) }
}
