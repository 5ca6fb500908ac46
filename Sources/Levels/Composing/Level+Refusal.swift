internal import Bytes
internal import PropertyLists

/// Levels that could not be read: they have no rows, and say why.
///
/// The sentence is packed after the empty table of rows, so that it counts as content.
extension Level {
    private static let emptyTable: [UInt8] = [4, 0, 0, 0]

    /// A level of no rows.
    ///
    /// - Parameter sentence: why it could not be read, for clients; a whole sentence with its full stop.
    public static func refused(_ sentence: String) -> Level {
        Level(
            bytes: emptyTable + Array(sentence.utf8), children: [], sections: [], keyIndex: KeyIndex(rowCount: 0),
            form: .rows, mayHoldTextBeyondXML: false)
    }

    /// Why the level could not be read; nil for every other level.
    @inline(__always)
    public var refusal: String? { count == 0 && rowCount == 0 && bytes.count > Self.emptyTable.count ? sentence : nil }

    private var sentence: String {
        let bytes = bytes
        return String(utf8: bytes.span.extracting(Self.emptyTable.count..<bytes.count))
    }
}
