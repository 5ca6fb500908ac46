import HTTPServer
import Locking
import Testing

@testable import TestDocuments
@testable import TestSupport

@Suite("The files of a certificate, and a clock that is wrong")
struct CertificateClockTests {
    @Test("are reported in order, at any time", arguments: RandomRounds.first(2))
    func anyTime(seed: Int) throws {
        let (scratch, count) = (try ScratchFolder(), Guarded(0))
        let now = CertificateDate.now
        let made = try TestCertificate("one", from: now - 86_400, until: now + 86_400)
        try scratch.write("crt", made.certificate)
        try scratch.write("key", made.key)
        try scratch.permit(0o600, "key")
        let files = try CertificateFiles(certificate: scratch("crt"), key: scratch("key"), at: now) { _ in
            count.withLock { $0 += 1 }
        }
        let atStart = count.withLock { $0 }
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<100 { files.check(at: generator.extreme()) }
        files.check(at: .max)
        #expect(count.withLock { $0 } > atStart)
        let told = count.withLock { $0 }
        // Nothing is due after the end of time.
        for _ in 0..<3 { files.check(at: .max - 1) }
        #expect(count.withLock { $0 } == told)
    }

    @Test("have a time as text, whatever it is", arguments: 0..<4)
    func text(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            let moment = generator.extreme()
            let text = CertificateDate.text(moment)
            #expect(text == "\(moment)" || text.hasSuffix(" UTC"))
        }
    }
}
