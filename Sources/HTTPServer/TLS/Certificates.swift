import Locking

/// The pair that new handshakes use; replacing it concerns no connection that exists.
public final class Certificates: Sendable {
    private let pair: Guarded<CertificatePair>

    /// Begins with a pair.
    public init(_ pair: CertificatePair) { self.pair = Guarded(pair) }

    /// The current pair; handshakes that have begun keep theirs.
    public var current: CertificatePair {
        get { pair.withLock { $0 } }
        set { pair.withLock { $0 = newValue } }
    }

    /// The versions and ciphers, in GnuTLS's words; the server's order counts.
    ///
    /// All ciphers encrypt and authenticate in one (AEAD) under a key that is never stored (ECDHE). AES-128 comes first,
    /// as the fastest one with hardware support.
    static let priorities: StaticString = """
        NONE:+VERS-TLS1.3:+VERS-TLS1.2:+ECDHE-ECDSA:+ECDHE-RSA:+AES-128-GCM:+CHACHA20-POLY1305:+AES-256-GCM:+AEAD:\
        +GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:+GROUP-SECP521R1:+SIGN-ECDSA-SHA256:+SIGN-ECDSA-SECP256R1-SHA256:\
        +SIGN-ECDSA-SHA384:+SIGN-ECDSA-SECP384R1-SHA384:+SIGN-ECDSA-SHA512:+SIGN-ECDSA-SECP521R1-SHA512:\
        +SIGN-RSA-PSS-RSAE-SHA256:+SIGN-RSA-PSS-RSAE-SHA384:+SIGN-RSA-PSS-RSAE-SHA512:+SIGN-RSA-PSS-SHA256:\
        +SIGN-RSA-SHA256:+SIGN-RSA-SHA384:+SIGN-RSA-SHA512:+SIGN-EDDSA-ED25519:+COMP-NULL:+CTYPE-SRV-X509:\
        %SERVER_PRECEDENCE
        """
}
