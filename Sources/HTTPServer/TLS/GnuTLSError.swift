import CGnuTLS

/// Errors and arguments of the library.
enum GnuTLSError {
    /// The library's own words for an error, without a final full stop.
    static func text(_ code: Int32) -> String {
        let text = unsafe String(cString: gnutls_strerror(code))
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// Passes bytes to a function of the library, which does not change them.
    static func withDatum(_ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Int32) -> Int32 {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var datum = unsafe gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: bytes.baseAddress), size: UInt32(clamping: bytes.count))
            return unsafe body(&datum)
        }
    }
}
