import CGnuTLS
import Glibc

// GnuTLS's callbacks: each recovers its object, calls one method, and converts the result.

/// gnutls_pull_func.
func pullRecords(_ context: gnutls_transport_ptr_t?, _ buffer: UnsafeMutableRawPointer?, _ size: Int) -> Int {
    guard let context = unsafe context else { return -1 }
    return unsafe Unmanaged<SecureTransport>.fromOpaque(context)._withUnsafeGuaranteedRef {
        unsafe $0.pull(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }
}

/// gnutls_vec_push_func.
func pushRecords(_ context: gnutls_transport_ptr_t?, pieces: UnsafePointer<giovec_t>?, count: Int32) -> Int {
    guard let context = unsafe context else { return -1 }
    return unsafe Unmanaged<SecureTransport>.fromOpaque(context)._withUnsafeGuaranteedRef {
        unsafe $0.push(UnsafeBufferPointer(start: pieces, count: Int(count)))
    }
}

/// gnutls_certificate_retrieve_function2. The returned pointers stay valid until the connection is closed.
func retrieveCertificate(
    _ session: gnutls_session_t?, names: UnsafePointer<gnutls_datum_t>?, nameCount: Int32,
    algorithms: UnsafePointer<gnutls_pk_algorithm_t>?, algorithmCount: Int32,
    chain: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?, count: UnsafeMutablePointer<UInt32>?,
    key: UnsafeMutablePointer<gnutls_privkey_t?>?
) -> Int32 {
    guard let context = unsafe gnutls_transport_get_ptr(session), let chain = unsafe chain, let count = unsafe count,
        let key = unsafe key
    else { return -1 }
    let pair = unsafe Unmanaged<SecureTransport>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.beginHandshake() }
    unsafe chain.pointee = pair.chain.start
    unsafe count.pointee = pair.chain.count
    unsafe key.pointee = pair.key.pointer
    return 0
}

/// gnutls_handshake_hook_func, for the message Finished.
func finishHandshake(
    _ session: gnutls_session_t?, type: UInt32, when: UInt32, isIncoming: UInt32,
    message: UnsafePointer<gnutls_datum_t>?
) -> Int32 {
    guard isIncoming != 0, let context = unsafe gnutls_transport_get_ptr(session) else { return 0 }
    unsafe Unmanaged<SecureTransport>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.endHandshake() }
    return 0
}
