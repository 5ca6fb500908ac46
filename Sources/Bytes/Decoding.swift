extension String {
    /// Creates a string from UTF-8; an invalid sequence becomes U+FFFD.
    public init(utf8 bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Creates a string from bytes below 0x80; others become U+FFFD.
    public init(ascii bytes: Span<UInt8>) {
        self.init()
        for index in bytes.indices {
            unicodeScalars.append(bytes[index] < 0x80 ? Unicode.Scalar(bytes[index]) : "\u{FFFD}")
        }
    }
}
