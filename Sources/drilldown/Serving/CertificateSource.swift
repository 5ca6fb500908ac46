import HTTPServer
import PropertyLists

/// The certificate of the service, from the files that the options name. The files are watched for changes.
struct CertificateSource {
    let certificates: Certificates
    private let watcher: CertificateWatcher

    /// Reads and watches the files. Returns nil if the settings do not name files; the service then speaks HTTP.
    ///
    /// - Parameter log: receives the entries about the files.
    /// - Throws: `StartRefusal` for unusable files.
    init?(settings: Settings, _ log: @escaping @Sendable (Log.Entry) -> Void) throws {
        guard let certificate = settings.certificate, let key = settings.certificateKey else { return nil }
        let files: CertificateFiles
        do throws(CertificateFiles.Refusal) {
            files = try CertificateFiles(certificate: certificate, key: key) { notice in
                log(Log.Entry(notice: notice, certificate: certificate, key: key))
            }
        } catch {
            throw StartRefusal(
                description: "\(settings.name(\.certificate)), \(settings.name(\.certificateKey)): \(error).")
        }
        certificates = files.certificates
        watcher = try CertificateWatcher(files)
    }

    /// Reads the files now if they have changed.
    func check() { watcher.check() }
}

extension Log.Entry {
    /// Creates the line for a notice about the certificate.
    init(notice: CertificateFiles.Notice, certificate: String, key: String) {
        let files = [Log.Member("certificate", .text(certificate)), Log.Member("key", .text(key))]
        func members(_ subject: String, expiry: Int) -> [Log.Member] {
            files + [.init("subject", .text(subject)), .init("expires", .text(CertificateDate.text(expiry)))]
        }
        switch notice {
        case .replaced(let subject, let expiry):
            self.init(
                severity: .info, event: "certificate",
                text: "the certificate was read again: \(subject), valid until \(CertificateDate.text(expiry))",
                members: members(subject, expiry: expiry))
        case .refused(let refusal):
            self.init(
                severity: .error, event: "certificate",
                text: "\(refusal). The certificate that was read before stays in use.", members: files)
        case .exposed(let mode):
            self.init(
                severity: .warning, event: "certificate",
                text:
                    "the key file '\(path: key)' can be read or changed by other users (mode \(String(mode, radix: 8))); 'chmod 600' keeps it secret",
                members: files)
        case .expiring(let subject, let expiry):
            self.init(
                severity: .warning, event: "certificate",
                text: "the certificate of \(subject) expires at \(CertificateDate.text(expiry)); renew it",
                members: members(subject, expiry: expiry))
        case .expired(let subject, let expiry):
            self.init(
                severity: .error, event: "certificate",
                text:
                    "the certificate of \(subject) expired at \(CertificateDate.text(expiry)), so clients refuse to connect; renew it",
                members: members(subject, expiry: expiry))
        }
    }
}
