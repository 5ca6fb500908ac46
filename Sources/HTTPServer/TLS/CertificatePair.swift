/// A chain of certificates and its private key, checked and never changed: what handshakes use.
///
/// Unchecked Sendable: handshakes on several threads use the library's objects at once, which only read them.
public final class CertificatePair: @unchecked Sendable {
    let chain: CertificateChain
    let key: PrivateKey

    /// Reads both in PEM form.
    ///
    /// - Parameters:
    ///   - certificate: the server's certificate, then the one that signed it, and so on.
    ///   - key: the private key of the first certificate.
    ///   - now: the time to check the certificate at, in seconds since 1970.
    /// - Throws: `CertificateFault` if clients would not accept a handshake with the two.
    public init(certificate: [UInt8], key: [UInt8], now: Int) throws(CertificateFault) {
        chain = try CertificateChain(pem: certificate)
        self.key = try PrivateKey(pem: key)
        guard chain.isOf(self.key) else { throw .otherKey(subject: chain.subject) }
        if now >= chain.end { throw .expired(subject: chain.subject, at: chain.end) }
        if now < chain.begin { throw .early(subject: chain.subject, from: chain.begin) }
    }

    /// The distinguished name of the server's certificate.
    public var subject: String { chain.subject }
    /// When the server's certificate expires, in seconds since 1970.
    public var expiry: Int { chain.end }
    /// From when on it expires soon, in seconds since 1970: in the last fifth of its time, at most two weeks.
    public var renewal: Int { chain.end - min(14 * 86_400, (chain.end - chain.begin) / 5) }
}
