/// A file of the web client without what only the readers of its source need: comments on lines of their own,
/// indentation, and spaces and line ends beside punctuation.
///
/// It holds only for source in which no string goes over several lines and no comment follows code on its line: a test
/// checks that.
struct ServedText {
    private(set) var bytes: [UInt8] = []

    init(_ source: [UInt8], isStyle: Bool) {
        for line in source.split(separator: UInt8(ascii: "\n")) {
            let line = line.drop { $0 == Self.space }
            guard let first = line.first, !line.starts(with: "//".utf8), !line.starts(with: "/*".utf8) else { continue }
            if let last = bytes.last, !Self.joins(last, first, isStyle) { bytes.append(UInt8(ascii: "\n")) }
            append(line, isStyle)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private static let space = UInt8(ascii: " ")

    /// Whether two lines mean the same as one: no statement ends or begins between such marks.
    private static func joins(_ last: UInt8, _ first: UInt8, _ isStyle: Bool) -> Bool {
        if isStyle { return "{};,".utf8.contains(last) }
        return "{([,".utf8.contains(last) || "})].?:&|".utf8.contains(first)
    }

    /// Appends a line without the spaces beside its punctuation; those between quotes stay.
    private mutating func append(_ line: ArraySlice<UInt8>, _ isStyle: Bool) {
        // Quotes may be nested, and a regular expression may contain any mark: such lines stay as they are.
        guard isStyle || !line.contains(where: { "`\"/\\".utf8.contains($0) }) else {
            bytes += line
            return
        }
        let quote = UInt8(ascii: isStyle ? "\"" : "'")
        let marks = isStyle ? "{};,".utf8 : "=,:?{}()[]&|<>;*!".utf8
        var isQuoted = false
        for (index, byte) in zip(line.indices, line) {
            if byte == quote { isQuoted.toggle() }
            let isBeside =
                index > line.startIndex && marks.contains(line[index - 1])
                || index + 1 < line.endIndex && marks.contains(line[index + 1])
                || isStyle && index > line.startIndex && line[index - 1] == UInt8(ascii: ":")
            if isQuoted || byte != Self.space || !isBeside { bytes.append(byte) }
        }
    }
}
