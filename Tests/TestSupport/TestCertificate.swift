import CGnuTLS
import Glibc

/// A certificate with its key for 127.0.0.1, made anew each time and signed by itself.
struct TestCertificate: Sendable {
    /// PEM.
    let certificate, key: String

    struct Failure: Error { let call: String }

    /// - Parameters:
    ///   - name: the common name; empty for a certificate that has only its address.
    ///   - begin: in seconds since 1970.
    ///   - end: in seconds since 1970.
    init(_ name: String, from begin: Int, until end: Int) throws {
        var key: gnutls_x509_privkey_t?
        unsafe gnutls_x509_privkey_init(&key)
        defer { unsafe gnutls_x509_privkey_deinit(key) }
        let bits = UInt32(1 << 31) | UInt32(GNUTLS_ECC_CURVE_SECP256R1.rawValue)
        guard unsafe gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, bits, 0) == 0 else {
            throw Failure(call: "gnutls_x509_privkey_generate")
        }
        var certificate: gnutls_x509_crt_t?
        unsafe gnutls_x509_crt_init(&certificate)
        defer { unsafe gnutls_x509_crt_deinit(certificate) }
        unsafe gnutls_x509_crt_set_version(certificate, 3)
        unsafe gnutls_x509_crt_set_serial(certificate, [1], 1)
        unsafe gnutls_x509_crt_set_key(certificate, key)
        unsafe gnutls_x509_crt_set_activation_time(certificate, begin)
        unsafe gnutls_x509_crt_set_expiration_time(certificate, end)
        if !name.isEmpty { unsafe gnutls_x509_crt_set_dn(certificate, "CN=\(name)", nil) }
        let address: [UInt8] = [127, 0, 0, 1]
        unsafe gnutls_x509_crt_set_subject_alt_name(
            certificate, GNUTLS_SAN_IPADDRESS, address, UInt32(address.count), UInt32(GNUTLS_FSAN_SET))
        unsafe gnutls_x509_crt_set_basic_constraints(certificate, 1, -1)
        guard unsafe gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0) == 0 else {
            throw Failure(call: "gnutls_x509_crt_sign2")
        }
        self.certificate = unsafe try Self.text { unsafe gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, $0) }
        self.key = unsafe try Self.text { unsafe gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, $0) }
    }

    private static func text(_ export: (UnsafeMutablePointer<gnutls_datum_t>) -> Int32) throws -> String {
        var datum = unsafe gnutls_datum_t()
        guard unsafe export(&datum) == 0 else { throw Failure(call: "export") }
        defer { unsafe free(datum.data) }
        let bytes = unsafe UnsafeBufferPointer(start: datum.data, count: Int(datum.size))
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
