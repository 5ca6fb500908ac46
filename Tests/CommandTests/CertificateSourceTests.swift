import HTTPServer
import Testing

@testable import TestSupport
@testable import drilldown

@Suite("The certificate of the service")
struct CertificateSourceTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func settings(_ arguments: String...) throws -> Settings {
        try Settings(arguments: CommandLineArguments(arguments: ["serve", "a.plist"] + arguments), environment: [:])
    }

    @Test("comes from two files, which are needed together")
    func both() throws {
        #expect(try settings().certificate == nil)
        #expect(try settings("--tls-certificate", "a", "--tls-key", "b").certificateKey == "b")
        #expect(
            throws: UsageError(
                fact:
                    "--tls-certificate: HTTPS needs the certificate and its key; name the file of the private key with --tls-key."
            )
        ) { try settings("--tls-certificate", "a") }
        #expect(
            throws: UsageError(
                fact:
                    "--tls-key: HTTPS needs the certificate and its key; name the file of the certificate with --tls-certificate."
            )
        ) { try settings("--tls-key", "a") }
    }

    @Test("ends the start with one sentence if it cannot be used")
    func refused() throws {
        let now = CertificateDate.now
        let made = try TestCertificate("one", from: now - 9, until: now + 9)
        let certificate = try scratch.write("crt", made.certificate)
        let key = try scratch.write("key", made.key)
        #expect(try CertificateSource(settings: settings()) { _ in } == nil)
        let source = try CertificateSource(settings: settings("--tls-certificate", certificate, "--tls-key", key)) {
            _ in
        }
        #expect(source?.certificates.current.subject == "CN=one")
        let refusal = #expect(throws: StartRefusal.self) {
            try CertificateSource(settings: settings("--tls-certificate", certificate, "--tls-key", scratch("none"))) {
                _ in
            }
        }
        #expect(
            refusal?.description
                == "--tls-certificate, --tls-key: '\(scratch("none"))' cannot be read: No such file or directory.")
    }

    @Test("is in the log")
    func log() {
        func line(_ notice: CertificateFiles.Notice) -> String {
            Log(format: .text).line(of: Log.Entry(notice: notice, certificate: "crt", key: "key"), at: 0)
        }
        #expect(
            line(.replaced(subject: "CN=a", expiry: 1_800_000_000))
                == "drilldown: the certificate was read again: CN=a, valid until 2027-01-15 08:00 UTC")
        #expect(
            line(.refused(.unfit(.unsorted)))
                == "drilldown: error: the chain is not in order; begin with the server's certificate, and put after each the one that signed it. The certificate that was read before stays in use."
        )
        #expect(
            line(.exposed(mode: 0o644))
                == "drilldown: warning: the key file 'key' can be read or changed by other users (mode 644); 'chmod 600' keeps it secret"
        )
        #expect(
            line(.expiring(subject: "CN=a", expiry: 1_800_000_000))
                == "drilldown: warning: the certificate of CN=a expires at 2027-01-15 08:00 UTC; renew it")
        #expect(
            line(.expired(subject: "CN=a", expiry: 1_800_000_000))
                == "drilldown: error: the certificate of CN=a expired at 2027-01-15 08:00 UTC, so clients refuse to connect; renew it"
        )
    }
}
