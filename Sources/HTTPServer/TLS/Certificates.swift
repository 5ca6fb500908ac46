import CGnuTLS
import Glibc
import Locking

/// The pair that new handshakes use; replacing it does not affect existing connections.
public final class Certificates: Sendable {
    private let pair: Guarded<CertificatePair>

    /// Begins with a pair.
    public init(_ pair: CertificatePair) { self.pair = Guarded(pair) }

    /// The current pair. A handshake that has begun keeps the pair with which it began.
    public var current: CertificatePair {
        get { pair.withLock { $0 } }
        set { pair.withLock { $0 = newValue } }
    }

    /// The versions and ciphers, as a priority string of GnuTLS, in the server's order of preference.
    ///
    /// All ciphers encrypt and authenticate in one step (AEAD), with ephemeral keys (ECDHE). AES-128 comes first,
    /// because it is the fastest cipher with hardware support.
    static let priorities: StaticString = """
        NONE:+VERS-TLS1.3:+VERS-TLS1.2:+ECDHE-ECDSA:+ECDHE-RSA:+AES-128-GCM:+CHACHA20-POLY1305:+AES-256-GCM:+AEAD:\
        +GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:+GROUP-SECP521R1:+SIGN-ECDSA-SHA256:+SIGN-ECDSA-SECP256R1-SHA256:\
        +SIGN-ECDSA-SHA384:+SIGN-ECDSA-SECP384R1-SHA384:+SIGN-ECDSA-SHA512:+SIGN-ECDSA-SECP521R1-SHA512:\
        +SIGN-RSA-PSS-RSAE-SHA256:+SIGN-RSA-PSS-RSAE-SHA384:+SIGN-RSA-PSS-RSAE-SHA512:+SIGN-RSA-PSS-SHA256:\
        +SIGN-RSA-SHA256:+SIGN-RSA-SHA384:+SIGN-RSA-SHA512:+SIGN-EDDSA-ED25519:+COMP-NULL:+CTYPE-SRV-X509:\
        %SERVER_PRECEDENCE
        """
}

/// A chain of certificates and its private key for handshakes, which have been checked and never change.
///
/// Unchecked Sendable: handshakes on several threads use the library's objects at the same time, but only read them.
public final class CertificatePair: @unchecked Sendable {
    let chain: CertificateChain
    let key: PrivateKey

    /// Reads the chain and the key in PEM form.
    ///
    /// - Parameters:
    ///   - certificate: the server's certificate, then the certificate that signed it, and so on.
    ///   - key: the private key of the first certificate.
    ///   - now: the time for which the validity of the certificate is checked, in seconds since 1970.
    /// - Throws: `CertificateFault` if the certificate or the key cannot be read, they do not belong together, or the
    ///   certificate is not valid at this time.
    public init(certificate: [UInt8], key: [UInt8], now: Int) throws(CertificateFault) {
        chain = try CertificateChain(pem: certificate)
        self.key = try PrivateKey(pem: key)
        guard chain.isOf(self.key) else { throw .otherKey(subject: chain.subject) }
        if now >= chain.end { throw .expired(subject: chain.subject, at: chain.end) }
        if now < chain.begin { throw .early(subject: chain.subject, from: chain.begin) }
    }

    /// The distinguished name of the server's certificate.
    public var subject: String { chain.subject }
    /// The time at which the server's certificate expires, in seconds since 1970.
    public var expiry: Int { chain.end }
    /// The time from which the expiry is reported, in seconds since 1970: the beginning of the last fifth of the
    /// validity, but at most two weeks before the expiry.
    public var renewal: Int { chain.end - min(14 * 86_400, (chain.end - chain.begin) / 5) }
}

/// The sole owner of a chain of certificates, the server's own first.
@safe
struct CertificateChain: ~Copyable {
    /// The array and its length, in the form in which the callback returns them to the library.
    let start: UnsafeMutablePointer<gnutls_pcert_st>
    let count: UInt32
    let subject: String
    /// The validity of the first certificate, in seconds since 1970.
    let begin, end: Int

    /// - Throws: `CertificateFault` if the text is not a chain of certificates in order.
    init(pem: [UInt8]) throws(CertificateFault) {
        let list = try ParsedCertificates(pem: pem)
        let start = UnsafeMutablePointer<gnutls_pcert_st>.allocate(capacity: list.count)
        unsafe start.initialize(repeating: gnutls_pcert_st(), count: list.count)
        for index in 0..<list.count {
            // The function copies the certificate.
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

    /// Whether the key belongs to the first certificate.
    func isOf(_ key: borrowing PrivateKey) -> Bool {
        guard let own = unsafe KeyIdentifier.of(start.pointee.pubkey) else { return false }
        return own == key.identifier
    }
}

/// The sole owner of certificates while they are read.
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
        // GnuTLS allocates the list with the system's function.
        unsafe free(list)
    }

    subscript(index: Int) -> gnutls_x509_crt_t? { unsafe list[index] }

    var begin: Int { unsafe gnutls_x509_crt_get_activation_time(list[0]) }
    var end: Int { unsafe gnutls_x509_crt_get_expiration_time(list[0]) }

    /// The distinguished name of the first certificate. If this name is empty, the certificate's first alternative
    /// name, or else `no name`.
    var subject: String {
        if let name = unsafe value({ unsafe gnutls_x509_crt_get_dn(list[0], $0, $1) }), !name.bytes.isEmpty {
            return String(decoding: name.bytes, as: UTF8.self)
        }
        let name = unsafe value { unsafe gnutls_x509_crt_get_subject_alt_name(list[0], 0, $0, $1, nil) }
        guard let name else { return "no name" }
        if name.code == GNUTLS_SAN_IPADDRESS.rawValue, let address = NetworkAddress(bytes: name.bytes) {
            return "IP:\(address.text)"
        }
        return "DNS:\(String(decoding: name.bytes, as: UTF8.self))"
    }

    /// The bytes that a function of GnuTLS writes into a buffer of 1 KiB, and the function's code; nil if the code is
    /// an error.
    private func value(
        _ read: (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>) -> Int32
    ) -> (code: UInt32, bytes: [UInt8])? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 10) { buffer in
            var size = buffer.count
            let code = unsafe read(buffer.baseAddress, &size)
            guard code >= 0 else { return nil }
            return unsafe (UInt32(code), Array(UnsafeRawBufferPointer(buffer).prefix(size)))
        }
    }
}

/// The sole owner of a private key.
@safe
struct PrivateKey: ~Copyable {
    let pointer: gnutls_privkey_t
    /// The identifier of the public key that belongs to this private key.
    let identifier: [UInt8]

    /// - Throws: `CertificateFault` if the text is not a key.
    init(pem: [UInt8]) throws(CertificateFault) {
        var key: gnutls_privkey_t?
        guard unsafe gnutls_privkey_init(&key) >= 0, let key = unsafe key else { throw .noMemory }
        let code = unsafe GnuTLSError.withDatum(pem) { text in
            unsafe gnutls_privkey_import_x509_raw(key, text, GNUTLS_X509_FMT_PEM, nil, 0)
        }
        guard code >= 0, let identifier = unsafe KeyIdentifier.of(privateKey: key) else {
            unsafe gnutls_privkey_deinit(key)
            throw code == GNUTLS_E_DECRYPTION_FAILED ? .encryptedKey : .noKey(reason: GnuTLSError.text(code))
        }
        unsafe pointer = key
        self.identifier = identifier
    }

    deinit { unsafe gnutls_privkey_deinit(pointer) }
}

/// The identifier that a certificate shares with its key.
enum KeyIdentifier {
    /// The SHA-256 of a public key; nil if memory for it is lacking.
    static func of(_ key: gnutls_pubkey_t?) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64)
        var size = bytes.count
        let code = unsafe gnutls_pubkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256.rawValue, &bytes, &size)
        return code >= 0 ? Array(bytes[..<size]) : nil
    }

    static func of(privateKey: gnutls_privkey_t) -> [UInt8]? {
        var key: gnutls_pubkey_t?
        guard unsafe gnutls_pubkey_init(&key) >= 0 else { return nil }
        defer { unsafe gnutls_pubkey_deinit(key) }
        guard unsafe gnutls_pubkey_import_privkey(key, privateKey, 0, 0) >= 0 else { return nil }
        return unsafe of(key)
    }
}

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
