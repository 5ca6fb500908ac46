#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Standard output, without a buffer.
enum StandardOutput {
    /// Writes a text.
    ///
    /// - Returns: false if nothing can be written any more, as to a terminal that is gone.
    @discardableResult
    static func write(_ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            #if canImport(Glibc)
                let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            #else
                let count = unsafe bytes.withUnsafeBytes {
                    unsafe Darwin.write(STDOUT_FILENO, $0.baseAddress, $0.count)
                }
            #endif
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
