import DrilldownDates
import Glibc

/// The reason why a certificate and a key cannot be used.
public enum CertificateFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The certificate file lacks a usable certificate; `reason` is the library's message.
    case noCertificate(reason: String)
    /// A certificate of the chain is not followed by the certificate that signed it.
    case unsorted
    /// The key file lacks a usable key; `reason` is the library's message.
    case noKey(reason: String)
    /// The key is protected by a passphrase.
    case encryptedKey
    /// The key belongs to another certificate.
    case otherKey(subject: String)
    /// The certificate has expired; `at` is the moment in seconds since 1970.
    case expired(subject: String, at: Int)
    /// The certificate is not yet valid; `from` is the moment of its first validity, in seconds since 1970.
    case early(subject: String, from: Int)
    /// Memory for the certificate or the key is lacking.
    case noMemory

    /// The fault and its remedy, without a full stop.
    public var description: String {
        switch self {
        case .noCertificate(let reason):
            "the certificate file has no usable certificate (\(reason)); it must have the server's certificate in PEM form, then the certificates that signed it"
        case .unsorted:
            "the chain is not in order; begin with the server's certificate, and put after each the one that signed it"
        case .noKey(let reason):
            "the key file has no usable key (\(reason)); it must have the certificate's private key in PEM form"
        case .encryptedKey:
            "the key is protected by a passphrase, which nobody could enter; 'openssl pkey -in KEY -out PLAIN' stores it without one"
        case .otherKey(let subject):
            "the key does not belong to the certificate of \(subject); give the key with which the certificate was requested"
        case .expired(let subject, let moment):
            "the certificate of \(subject) expired at \(CertificateDate.text(moment)); renew it"
        case .early(let subject, let moment):
            "the certificate of \(subject) is valid only from \(CertificateDate.text(moment)); check this machine's clock"
        case .noMemory: "there is no memory for the certificate"
        }
    }
}

/// A moment of a certificate as text.
public enum CertificateDate {
    /// Now, in seconds since 1970.
    public static var now: Int { time(nil) }

    /// A moment in UTC, such as `2027-02-03 04:05 UTC`.
    ///
    /// - Parameter moment: in seconds since 1970.
    public static func text(_ moment: Int) -> String {
        let (seconds, overflows) = moment.subtractingReportingOverflow(Int(CivilDate.unixEpochOffset))
        guard !overflows, let text = Timestamp.text(Double(seconds)) else { return "\(moment)" }
        return text.prefix(16).replacing("T", with: " ") + " UTC"
    }
}
