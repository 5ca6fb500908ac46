import HTTPServer
import Testing

@testable import TestSupport

@Suite("A certificate and its key")
struct CertificatePairTests {
    private static let day = 86_400
    /// 2027-01-15 08:00:00 UTC.
    private static let now = 1_800_000_000

    private static func made(_ name: String = "a", from begin: Int = -1, until end: Int = 100) throws -> TestCertificate
    {
        try TestCertificate(name, from: now + begin * day, until: now + end * day)
    }

    private static func fault(_ certificate: String, _ key: String, now: Int = now) -> CertificateFault? {
        do {
            _ = try CertificatePair(certificate: Array(certificate.utf8), key: Array(key.utf8), now: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("are read, with subject and times")
    func read() throws {
        let made = try Self.made("first", from: -10, until: 40)
        let pair = try CertificatePair(
            certificate: Array(made.certificate.utf8), key: Array(made.key.utf8), now: Self.now)
        #expect(pair.subject == "CN=first")
        #expect(pair.expiry == Self.now + 40 * Self.day)
        // A fifth of fifty days.
        #expect(pair.renewal == Self.now + 30 * Self.day)
        let long = try Self.made("long", from: -100, until: 300)
        let other = try CertificatePair(
            certificate: Array(long.certificate.utf8), key: Array(long.key.utf8), now: Self.now)
        #expect(other.renewal == Self.now + (300 - 14) * Self.day)
        #expect(CertificateDate.text(other.expiry) == "2027-11-11 08:00 UTC")
        let nameless = try Self.made("")
        let third = try CertificatePair(
            certificate: Array(nameless.certificate.utf8), key: Array(nameless.key.utf8), now: Self.now)
        #expect(third.subject == "IP:127.0.0.1")
    }

    @Test("that cannot be used are refused with a sentence and a remedy")
    func faults() throws {
        let (one, two) = (try Self.made("one"), try Self.made("two"))
        let late = try Self.made("late", from: -9, until: -1)
        let early = try Self.made("early", from: 1)
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let expected: [(String, String, String)] = [
            (
                one.certificate, two.key,
                "the key does not belong to the certificate of CN=one; give the key with which the certificate was requested"
            ),
            (late.certificate, late.key, "the certificate of CN=late expired at 2027-01-14 08:00 UTC; renew it"),
            (
                early.certificate, early.key,
                "the certificate of CN=early is valid only from 2027-01-16 08:00 UTC; check this machine's clock"
            ),
            (
                one.certificate + two.certificate, one.key,
                "the chain is not in order; begin with the server's certificate, and put after each the one that signed it"
            ),
            (
                "", one.key,
                "the certificate file has no usable certificate (…); it must have the server's certificate in PEM form, then the certificates that signed it"
            ),
            (
                broken, one.key,
                "the certificate file has no usable certificate (…); it must have the server's certificate in PEM form, then the certificates that signed it"
            ),
            (
                one.certificate, "",
                "the key file has no usable key (…); it must have the certificate's private key in PEM form"
            ),
        ]
        for (certificate, key, sentence) in expected {
            // The reason is in GnuTLS's own words.
            let told = Self.fault(certificate, key)?.description.replacing(/usable (\w+) \(.+\);/) {
                "usable \($0.1) (…);"
            }
            #expect(told == sentence)
        }
        let (begin, end) = (Self.now - Self.day, Self.now + 100 * Self.day)
        for (time, isValid) in [(begin - 1, false), (begin, true), (end - 1, true), (end, false)] {
            #expect((Self.fault(one.certificate, one.key, now: time) == nil) == isValid)
        }
    }
}
