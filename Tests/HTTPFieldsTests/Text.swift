extension String {
    /// The text of some bytes; `String(decoding:as:)` for a span.
    init(_ bytes: Span<UInt8>) { self.init(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
}
