import CSearch

extension Span<UInt8> {
    /// Whether some of the bytes are these, one after the other; true for none (C function `memmem`).
    public func contains(_ wanted: Span<UInt8>) -> Bool {
        guard !wanted.isEmpty else { return true }
        return unsafe withUnsafeBytes { bytes in
            unsafe wanted.withUnsafeBytes { wanted in
                guard let text = bytes.baseAddress, let first = wanted.baseAddress else { return false }
                return unsafe memmem(text, bytes.count, first, wanted.count) != nil
            }
        }
    }
}
