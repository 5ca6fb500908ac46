import Glibc
import Testing
import TreeSources

@testable import TestSupport
@testable import drilldown

@Suite("What check tells")
struct CheckTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func told(_ document: CheckedDocument) throws -> [String] {
        let loaded = try document.load()
        return CheckCommand.warnings(loaded, of: document.name) + [CheckCommand.summary(loaded, of: document.name)]
    }

    private func standardInput(_ text: String, maximumBytes: Int = 1000) throws -> CheckedDocument {
        let descriptor = unsafe open(try scratch.write("input", text), O_RDONLY)
        return .standardInput(
            StandardInput(interpretation: Interpretation(), maximumBytes: maximumBytes, descriptor: descriptor))
    }

    private func refusal(_ document: CheckedDocument) -> String {
        do {
            _ = try document.load()
            return "it was read"
        } catch {
            return "\(error)"
        }
    }

    @Test("counts one as one")
    func one() throws {
        try scratch.write(
            "One.plist",
            "<plist><array><dict><key>Title</key><string>A</string><key>Children</key><array/></dict></array></plist>")
        let path = scratch("One.plist")
        let told = try told(.source(PropertyListFile(path: path)))
        #expect(told.count == 2)
        #expect(told.last == "\(path): 1 item, 1 warning")
    }

    @Test("calls standard input as compilers do")
    func standardInput() throws {
        #expect(try told(standardInput(items("A", "B"))) == ["<stdin>: 2 items, 0 warnings"])
        #expect(try refusal(standardInput("<plist>\n<array><nonsense/>")).hasPrefix("<stdin>:2:8: "))
    }

    @Test("refuses standard input that is empty, too long or no file")
    func noInput() throws {
        #expect(try refusal(standardInput("")) == "<stdin>: standard input is empty; it must contain a property list.")
        #expect(
            try refusal(standardInput("<plist/>", maximumBytes: 7))
                == "<stdin>: standard input has more than 7 bytes; split the document, or raise MaxDocumentBytes.")
        let folder = unsafe open(scratch.path, O_RDONLY)
        defer { close(folder) }
        let input = StandardInput(interpretation: Interpretation(), maximumBytes: 7, descriptor: folder)
        #expect(
            refusal(.standardInput(input)) == "<stdin>: standard input cannot be read: Is a directory.")
    }
}
