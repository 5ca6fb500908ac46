import CGnuTLS
import Glibc

/// The sole owner of a chain of certificates, the server's own first.
@safe
struct CertificateChain: ~Copyable {
    /// The array and its length, as the library's callback hands them out.
    let start: UnsafeMutablePointer<gnutls_pcert_st>
    let count: UInt32
    let subject: String
    /// In seconds since 1970.
    let begin, end: Int

    /// - Throws: `CertificateFault` if the text is not a chain of certificates in order.
    init(pem: [UInt8]) throws(CertificateFault) {
        let list = try ParsedCertificates(pem: pem)
        let start = UnsafeMutablePointer<gnutls_pcert_st>.allocate(capacity: list.count)
        unsafe start.initialize(repeating: gnutls_pcert_st(), count: list.count)
        for index in 0..<list.count {
            // It copies what it needs.
            let code = unsafe gnutls_pcert_import_x509(start + index, list[index], 0)
            if code >= 0 { continue }
            unsafe Self.release(start, count: index)
            throw .noCertificate(reason: GnuTLSError.text(code))
        }
        unsafe self.start = start
        count = UInt32(list.count)
        (subject, begin, end) = (list.subject, list.begin, list.end)
    }

    deinit { unsafe Self.release(start, count: Int(count)) }

    private static func release(_ start: UnsafeMutablePointer<gnutls_pcert_st>, count: Int) {
        for index in 0..<count { unsafe gnutls_pcert_deinit(start + index) }
        unsafe start.deallocate()
    }

    /// Whether the key is that of the first certificate.
    func isOf(_ key: borrowing PrivateKey) -> Bool {
        guard let own = unsafe KeyIdentifier.of(start.pointee.pubkey) else { return false }
        return own == key.identifier
    }
}

/// The sole owner of certificates as they are read.
@safe
private struct ParsedCertificates: ~Copyable {
    private let list: UnsafeMutablePointer<gnutls_x509_crt_t?>
    let count: Int

    init(pem: [UInt8]) throws(CertificateFault) {
        var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var count: UInt32 = 0
        let flags = GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED.rawValue
        let code = unsafe GnuTLSError.withDatum(pem) { text in
            unsafe gnutls_x509_crt_list_import2(&list, &count, text, GNUTLS_X509_FMT_PEM, flags)
        }
        if code == GNUTLS_E_CERTIFICATE_LIST_UNSORTED { throw .unsorted }
        guard code >= 0, count > 0, let list = unsafe list else {
            throw .noCertificate(reason: GnuTLSError.text(code))
        }
        unsafe self.list = list
        self.count = Int(count)
    }

    deinit {
        for index in 0..<count { unsafe gnutls_x509_crt_deinit(list[index]) }
        // The library has a variable of this name for the function that frees what it allocates: that of the system.
        unsafe free(list)
    }

    subscript(index: Int) -> gnutls_x509_crt_t? { unsafe list[index] }

    var begin: Int { unsafe gnutls_x509_crt_get_activation_time(list[0]) }
    var end: Int { unsafe gnutls_x509_crt_get_expiration_time(list[0]) }

    /// The distinguished name of the first one; if it is empty, the first name of a host.
    var subject: String {
        let name = unsafe text { unsafe gnutls_x509_crt_get_dn(list[0], $0, $1) }
        if let name, !name.isEmpty { return name }
        let host = unsafe text { unsafe gnutls_x509_crt_get_subject_alt_name(list[0], 0, $0, $1, nil) }
        return host.map { "DNS:\($0)" } ?? "no name"
    }

    private func text(
        _ read: (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>) -> Int32
    ) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 10) { buffer in
            var size = buffer.count
            guard unsafe read(buffer.baseAddress, &size) >= 0 else { return nil }
            let bytes = UnsafeRawBufferPointer(buffer)
            return unsafe String(decoding: bytes.prefix(size), as: UTF8.self)
        }
    }
}
