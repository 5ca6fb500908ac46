import Files
import Testing

@testable import TestSupport

@Suite("A small file") struct SmallFileTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test func `a file is read whole if it is not larger than the limit`() throws {
        let path = try scratch.write("four", "four")
        #expect(try SmallFile(path: path, maximumBytes: 4).bytes == Array("four".utf8))
        let error = #expect(throws: SmallFile.Unreadable.self) { try SmallFile(path: path, maximumBytes: 3) }
        #expect(error?.description == "it is larger than 3 bytes")
    }

    @Test(arguments: [(0o600, false), (0o751, false), (0o620, true), (0o604, true), (0o602, true)])
    func `a stamp tells whether others can use the file, and is current until its mode changes`(
        _ mode: Int, _ isExposed: Bool
    ) throws {
        let path = try scratch.write("a", "a")
        try scratch.permit(mode, "a")
        let stamp = try SmallFile(path: path, maximumBytes: 1, clock: { .zero }).stamp
        #expect(stamp.mode == mode && stamp.isExposed == isExposed && stamp.isCurrent)
        try scratch.permit(0o640, "a")
        #expect(!stamp.isCurrent)
    }
}
