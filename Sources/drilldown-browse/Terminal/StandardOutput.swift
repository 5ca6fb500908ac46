#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Standard output, without a buffer.
enum StandardOutput {
    /// Writes a text.
    ///
    /// - Throws: `Failure` if nothing can be written any more, as to a pipe that is closed or a disk that is full.
    static func write(_ text: String) throws(Failure) {
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
                throw Failure(code: errno)
            }
        }
    }

    /// Why standard output cannot be written, in a sentence.
    struct Failure: Error, CustomStringConvertible {
        let code: Int32

        var description: String { "Standard output cannot be written: \(unsafe String(cString: strerror(code)))." }
    }
}
