import CSearch

extension Span<UInt8> {
    /// Whether some of the bytes are these, one after the other; true for none (C function `memmem`).
    public func contains(_ wanted: Span<UInt8>) -> Bool {
        guard !wanted.isEmpty else { return true }
        return unsafe withUnsafeBytes { bytes in
            unsafe wanted.withUnsafeBytes { wanted in
                unsafe memmem(bytes.baseAddress, bytes.count, wanted.baseAddress, wanted.count) != nil
            }
        }
    }
}
