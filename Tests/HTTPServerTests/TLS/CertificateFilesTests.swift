import Files
import Glibc
import HTTPServer
import Locking
import Testing

@testable import TestSupport

@Suite("The files of a certificate")
struct CertificateFilesTests {
    private let scratch: ScratchFolder
    private let notices = Notices()
    private static let now = CertificateDate.now

    private final class Notices: Sendable {
        private let list = Guarded<[CertificateFiles.Notice]>([])
        func add(_ notice: CertificateFiles.Notice) { list.withLock { $0.append(notice) } }
        /// Those since the last call.
        func take() -> [CertificateFiles.Notice] {
            list.withLock { list in
                defer { list = [] }
                return list
            }
        }
    }

    init() throws { scratch = try ScratchFolder() }

    private static func made(_ name: String, until end: Int = 86_400) throws -> TestCertificate {
        try TestCertificate(name, from: now - 86_400, until: now + end)
    }

    private func write(_ made: TestCertificate) throws {
        try scratch.write("crt", made.certificate)
        try scratch.write("key", made.key)
        try scratch.permit(0o600, "key")
    }

    private func files(at now: Int = now) throws -> CertificateFiles {
        try CertificateFiles(certificate: scratch("crt"), key: scratch("key"), at: now) { [notices] in notices.add($0) }
    }

    @Test("are read again when they change")
    func replaced() throws {
        try write(Self.made("one"))
        let files = try files()
        #expect(files.certificates.current.subject == "CN=one")
        files.check(at: Self.now)
        let two = try Self.made("two")
        try write(two)
        files.check(at: Self.now)
        files.check(at: Self.now)
        #expect(files.certificates.current.subject == "CN=two")
        #expect(notices.take() == [.replaced(subject: "CN=two", expiry: Self.now + 86_400)])
    }

    @Test("that do not fit leave the pair in use; the moment between the two files is not reported")
    func refused() throws {
        let (one, two) = (try Self.made("one"), try Self.made("two"))
        try write(one)
        let files = try files()
        try scratch.write("crt", two.certificate)
        files.check(at: Self.now)
        #expect(notices.take() == [])
        let refusal = CertificateFiles.Refusal.unfit(.otherKey(subject: "CN=two"))
        files.check(at: Self.now, isAsked: true)
        files.check(at: Self.now, isAsked: true)
        #expect(notices.take() == [.refused(refusal)])
        #expect(files.certificates.current.subject == "CN=one")
        try scratch.write("key", two.key)
        files.check(at: Self.now)
        #expect(notices.take() == [.replaced(subject: "CN=two", expiry: Self.now + 86_400)])
        try scratch.remove("key")
        files.check(at: Self.now)
        let missing = CertificateFiles.Refusal.unreadable(path: scratch("key"), reason: "No such file or directory")
        #expect(notices.take() == [.refused(missing)])
        #expect(missing.description == "'\(scratch("key"))' cannot be read: No such file or directory")
        // The same certificate again is not reported.
        try write(two)
        files.check(at: Self.now)
        #expect(notices.take() == [])
    }

    /// Puts another file in the place of one, so that it is another file to the system however soon this is.
    private func replace(_ name: String, _ made: TestCertificate) throws {
        try scratch.write("new", name == "crt" ? made.certificate : made.key)
        try scratch.permit(0o600, "new")
        try scratch.rename("new", name)
    }

    @Test("are read again when only one of them changes, however old the other is", arguments: ["crt", "key"])
    func oneChanged(name: String) throws {
        let (one, two) = (try Self.made("one"), try Self.made("two"))
        try write(one)
        let files = try CertificateFiles(
            certificate: scratch("crt"), key: scratch("key"), at: Self.now,
            clock: { FileStamp.systemClock() + .seconds(3) }, onNotice: { [notices] in notices.add($0) })
        files.check(at: Self.now, isAsked: true)
        #expect(notices.take() == [])
        try replace(name, two)
        files.check(at: Self.now, isAsked: true)
        let subject = name == "crt" ? "CN=two" : "CN=one"
        #expect(notices.take() == [.refused(.unfit(.otherKey(subject: subject)))])
        try replace(name == "crt" ? "key" : "crt", two)
        files.check(at: Self.now)
        #expect(notices.take() == [.replaced(subject: "CN=two", expiry: Self.now + 86_400)])
    }

    @Test("that were renewed are reported again before the new certificate expires, and not earlier")
    func renewed() throws {
        try write(Self.made("brief", until: 9 * 86_400))
        let files = try files()
        let late = Self.now + 8 * 86_400
        files.check(at: late)
        #expect(notices.take() == [.expiring(subject: "CN=brief", expiry: Self.now + 9 * 86_400)])
        try write(Self.made("long", until: 98 * 86_400))
        let expiry = Self.now + 98 * 86_400
        files.check(at: late)
        #expect(notices.take() == [.replaced(subject: "CN=long", expiry: expiry)])
        files.check(at: late + 2 * 86_400)
        #expect(notices.take() == [])
        files.check(at: expiry - 86_400)
        #expect(notices.take() == [.expiring(subject: "CN=long", expiry: expiry)])
    }

    @Test("that cannot be used at the start are an error")
    func start() throws {
        try write(Self.made("late", until: -1))
        #expect(throws: CertificateFiles.Refusal.unfit(.expired(subject: "CN=late", at: Self.now - 1))) { try files() }
        try scratch.remove("crt")
        #expect(
            throws: CertificateFiles.Refusal.unreadable(path: scratch("crt"), reason: "No such file or directory")
        ) { try files() }
    }

    @Test("are reported before the certificate expires, each day, and after it has expired")
    func expiry() throws {
        try write(Self.made("brief", until: 9 * 86_400))
        let expiry = Self.now + 9 * 86_400
        let files = try files()
        #expect(notices.take() == [])
        let expiring = CertificateFiles.Notice.expiring(subject: "CN=brief", expiry: expiry)
        let expired = CertificateFiles.Notice.expired(subject: "CN=brief", expiry: expiry)
        for (before, told) in [
            (2 * 86_400 + 1, []), (2 * 86_400, [expiring]), (2 * 86_400 - 1, []), (86_400, [expiring]), (1, []),
            (0, [expired]), (-1, []), (-86_400, [expired]),
        ] {
            files.check(at: expiry - before)
            #expect(notices.take() == told)
        }
    }

    @Test("are reported if other users can read the private key")
    func exposed() throws {
        try write(Self.made("one"))
        try scratch.permit(0o644, "key")
        let files = try files()
        #expect(notices.take() == [.exposed(mode: 0o644)])
        files.check(at: Self.now)
        #expect(notices.take() == [])
        try scratch.permit(0o600, "key")
        files.check(at: Self.now)
        try scratch.permit(0o646, "key")
        files.check(at: Self.now)
        #expect(notices.take() == [.exposed(mode: 0o646)])
    }
}
