import CGnuTLS
import Glibc

/// A client's session, whose every call blocks.
@safe
final class TLSSession {
    struct Failure: Error, Equatable {
        let call: String
        let code: Int32
    }

    private let session: gnutls_session_t?
    private let credentials: gnutls_certificate_credentials_t?

    /// Shakes hands.
    ///
    /// - Parameters:
    ///   - trusted: the certificate to expect, in PEM form.
    ///   - priorities: versions and ciphers in GnuTLS's words.
    init(_ descriptor: Int32, trusting trusted: String, priorities: String = "NORMAL") throws {
        var session: gnutls_session_t?
        unsafe gnutls_init(&session, UInt32(GNUTLS_CLIENT))
        unsafe self.session = session
        var credentials: gnutls_certificate_credentials_t?
        unsafe gnutls_certificate_allocate_credentials(&credentials)
        unsafe self.credentials = credentials
        var bytes = Array(trusted.utf8)
        let known = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            var datum = unsafe gnutls_datum_t(data: bytes.baseAddress, size: UInt32(bytes.count))
            return unsafe gnutls_certificate_set_x509_trust_mem(credentials, &datum, GNUTLS_X509_FMT_PEM)
        }
        try Self.check("gnutls_certificate_set_x509_trust_mem", known)
        unsafe gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
        try Self.check("gnutls_priority_set_direct", unsafe gnutls_priority_set_direct(session, priorities, nil))
        unsafe gnutls_transport_set_int2(session, descriptor, descriptor)
        unsafe gnutls_session_set_verify_cert(session, nil, 0)
        var code: Int32
        repeat { code = unsafe gnutls_handshake(session) } while code < 0 && gnutls_error_is_fatal(code) == 0
        try Self.check("gnutls_handshake", code)
    }

    deinit {
        unsafe gnutls_deinit(session)
        unsafe gnutls_certificate_free_credentials(credentials)
    }

    private static func check(_ call: String, _ code: Int32) throws {
        if code < 0 { throw Failure(call: call, code: code) }
    }

    /// Sends in as many records as are needed; the number of bytes, or a negative number.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe gnutls_record_send(session, bytes.baseAddress, bytes.count)
    }

    /// Receives a record, or a part of one; 0 if the server has said farewell.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe gnutls_record_recv(session, buffer.baseAddress, buffer.count)
    }

    /// The version, the cipher and the protocol above.
    var description: String {
        var name = unsafe gnutls_datum_t()
        let hasName = unsafe gnutls_alpn_get_selected_protocol(session, &name) == 0
        let bytes = unsafe UnsafeBufferPointer(start: name.data, count: hasName ? Int(name.size) : 0)
        let version = unsafe String(cString: gnutls_protocol_get_name(gnutls_protocol_get_version(session)))
        let cipher = unsafe String(cString: gnutls_cipher_get_name(gnutls_cipher_get(session)))
        return "\(version) \(cipher) " + (unsafe String(decoding: bytes, as: UTF8.self))
    }
}
