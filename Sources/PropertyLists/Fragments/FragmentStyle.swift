/// How new values are laid out among the text of a document.
public struct FragmentStyle: Sendable, Equatable {
    /// The white space at the beginning of the line that the value begins on; nil if everything is on one line.
    public var indent: [UInt8]?
    /// What a line of a container's content has before it, beyond the container's own line.
    public var unit: [UInt8]
    public var lineBreak: [UInt8]
    /// JSON: what is between a key and its value.
    public var colon: [UInt8]

    public init(indent: [UInt8]?, unit: [UInt8], lineBreak: [UInt8], colon: [UInt8]) {
        self.indent = indent
        self.unit = unit
        self.lineBreak = lineBreak
        self.colon = colon
    }

    /// JSON: what separates two values on one line.
    var comma: [UInt8] {
        guard indent == nil else { return Array(",".utf8) }
        return Array((colon.last == UInt8(ascii: " ") ? ", " : ",").utf8)
    }
}
