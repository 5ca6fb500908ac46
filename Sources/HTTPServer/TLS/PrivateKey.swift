import CGnuTLS

/// The sole owner of a private key.
@safe
struct PrivateKey: ~Copyable {
    let pointer: gnutls_privkey_t
    /// The identifier of its public part.
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

/// What a certificate and its key have in common.
enum KeyIdentifier {
    /// The SHA-256 of a public key; nil if there is no memory for it.
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
