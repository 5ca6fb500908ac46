import Files
import Glibc
import LevelsAPI
import Locking
import Testing

@testable import TestSupport

/// The token file: read again when it changes, at most once a second.
@Suite struct AccessTokenFileTests {
    private let scratch: ScratchFolder
    private let notices = Guarded<[AccessTokenFile.Notice]>([])
    private let start = ContinuousClock.now

    init() throws { scratch = try ScratchFolder() }

    private func file(_ text: String) throws -> (file: AccessTokenFile, path: String) {
        let path = try write(text)
        let notices = notices
        return (try AccessTokenFile(path: path) { notice in notices.withLock { $0.append(notice) } }, path)
    }

    @discardableResult
    private func write(_ text: String) throws -> String {
        let path = try scratch.write("tokens", text)
        _ = unsafe chmod(path, 0o600)
        return path
    }

    private var told: [AccessTokenFile.Notice] { notices.withLock { $0 } }

    @Test("is read again after a second, in place or replaced, and an empty one takes every token back")
    func reread() throws {
        let (file, path) = try file("0123456789abcdef\n")
        #expect(file.tokens(at: start).count == 1)
        try write("0123456789abcdef\nbob fedcba9876543210\n")
        #expect(file.tokens(at: start).count == 1)
        #expect(file.tokens(at: start + .seconds(2)).count == 2)
        let other = try scratch.write("other", "0123456789abcdef\n0123456789abcdeg\n0123456789abcdeh\n")
        _ = unsafe chmod(other, 0o600)
        #expect(unsafe rename(other, path) == 0)
        #expect(file.tokens(at: start + .seconds(2)).count == 2)
        #expect(file.tokens(at: start + .seconds(4)).count == 3)
        try write("")
        #expect(file.tokens(at: start + .seconds(6)).isEmpty)
        #expect(told == [.reread(count: 2), .reread(count: 3), .reread(count: 0), .empty])
    }

    @Test("allows nothing while it cannot be read, and again afterwards")
    func unreadable() throws {
        let (file, path) = try file("0123456789abcdef\n")
        #expect(unsafe unlink(path) == 0)
        #expect(file.tokens(at: start + .seconds(2)).isEmpty)
        #expect(file.tokens(at: start + .seconds(4)).isEmpty)
        #expect(unsafe mkfifo(path, 0o600) == 0)
        #expect(file.tokens(at: start + .seconds(6)).isEmpty)
        #expect(unsafe unlink(path) == 0)
        try write("0123456789abcdef\n")
        #expect(file.tokens(at: start + .seconds(8)).count == 1)
        #expect(unsafe unlink(path) == 0)
        #expect(file.tokens(at: start + .seconds(10)).isEmpty)
        try write("")
        #expect(file.tokens(at: start + .seconds(12)).isEmpty)
        let missing = AccessTokenFile.Notice.unreadable("No such file or directory")
        #expect(told == [missing, .reread(count: 1), missing, .reread(count: 0), .empty])
    }

    @Test("is reported if other users can read it, and with its lines that are not tokens")
    func faults() throws {
        let path = try scratch.write("tokens", "short\n")
        _ = unsafe chmod(path, 0o644)
        let notices = notices
        let file = try AccessTokenFile(path: path) { notice in notices.withLock { $0.append(notice) } }
        #expect(file.tokens(at: start).isEmpty)
        guard told.count == 2, case .fault(let fault) = told[0] else {
            Issue.record("\(told)")
            return
        }
        #expect(fault.line == 1)
        #expect(told[1] == .exposed(mode: 0o644))
    }

    @Test("that cannot be read is refused at the start")
    func missing() throws {
        let error = #expect(throws: SmallFile.Unreadable.self) {
            try AccessTokenFile(path: scratch("none")) { _ in }
        }
        #expect(error?.description == "No such file or directory")
        let folder = #expect(throws: SmallFile.Unreadable.self) {
            try AccessTokenFile(path: scratch.path) { _ in }
        }
        #expect(folder?.description == "it is not a regular file")
    }
}
