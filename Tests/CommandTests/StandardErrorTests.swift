import Glibc
import Testing

@testable import TestSupport
@testable import drilldown

@Suite("Standard error")
struct StandardErrorTests {
    /// A terminal: text written to its inner side is read from the outer side.
    private final class PseudoTerminal: Sendable {
        let outer: Int32
        let inner: Int32

        /// `TIOCSPTLCK` and `TIOCGPTPEER` (ioctl_tty(2)), which Swift does not import.
        private static let setLock: UInt = 0x4004_5431
        private static let openPeer: UInt = 0x5441

        init() {
            outer = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var isLocked: Int32 = 0
            _ = unsafe ioctl(outer, Self.setLock, &isLocked)
            inner = ioctl(outer, Self.openPeer, O_RDWR | O_NOCTTY)
        }

        deinit {
            close(inner)
            close(outer)
        }

        /// Whether a text was written since the last call. A terminal may deliver it in several pieces.
        func receives(_ text: String) -> Bool {
            var received: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while received.count < text.utf8.count {
                var ready = pollfd(fd: outer, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&ready, 1, 10_000) > 0 else { return false }
                let count = unsafe read(outer, &bytes, bytes.count)
                guard count > 0 else { return false }
                received += bytes.prefix(count)
            }
            return received == Array(text.utf8)
        }

        func resize(columns: UInt16) {
            var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            _ = unsafe ioctl(inner, UInt(TIOCSWINSZ), &size)
        }
    }

    @Test("draws a line at the bottom of a terminal, below all others, and clears it")
    func bottomLine() {
        let terminal = PseudoTerminal()
        let output = StandardError(descriptor: terminal.inner, terminalType: "xterm", refusesColors: false)
        #expect(output.isTerminal && output.isColored)
        output.putLine("one")
        #expect(terminal.receives("one\r\n"))
        output.draw { nil }
        output.draw { "[>  ]" }
        #expect(terminal.receives("\r\u{1B}[K[>  ]"))
        output.putLine("two")
        #expect(terminal.receives("\r\u{1B}[Ktwo\r\n[>  ]"))
        output.clearAtOnce()
        #expect(terminal.receives("\r\u{1B}[K"))
        output.draw { nil }
        #expect(terminal.receives("\r\u{1B}[K"))
        output.clearAtOnce()
        output.draw { nil }
        output.putLine("three")
        #expect(terminal.receives("three\r\n"))
    }

    @Test("asks the terminal for its width each time")
    func columns() {
        let terminal = PseudoTerminal()
        let output = StandardError(descriptor: terminal.inner, terminalType: "xterm", refusesColors: true)
        #expect(output.isTerminal && !output.isColored)
        #expect(output.columns == 80)
        terminal.resize(columns: 132)
        #expect(output.columns == 132)
        terminal.resize(columns: 20)
        #expect(output.columns == 20)
    }

    @Test("recognises a terminal without control sequences, and a file", arguments: ["dumb", nil])
    func noTerminal(_ type: String?) throws {
        let terminal = PseudoTerminal()
        #expect(!StandardError(descriptor: terminal.inner, terminalType: type, refusesColors: false).isTerminal)
        let scratch = try ScratchFolder()
        let file = unsafe open(try scratch.write("log", ""), O_RDWR)
        defer { close(file) }
        let output = StandardError(descriptor: file, terminalType: "xterm", refusesColors: false)
        #expect(!output.isTerminal && !output.isColored)
        #expect(output.columns == 80)
    }

    @Test("knows the journal of systemd by the device and the inode that the environment names")
    func journal() throws {
        let scratch = try ScratchFolder()
        let file = unsafe open(try scratch.write("log", ""), O_RDWR)
        defer { close(file) }
        var status = stat()
        #expect(unsafe fstat(file, &status) == 0)
        func isJournal(_ stream: String?) -> Bool {
            StandardError(descriptor: file, terminalType: nil, refusesColors: false, journalStream: stream).isJournal
        }
        #expect(isJournal("\(status.st_dev):\(status.st_ino)"))
        #expect(!isJournal("\(status.st_dev):\(status.st_ino + 1)"))
        #expect(!isJournal("\(status.st_dev + 1):\(status.st_ino)"))
        #expect(!isJournal("journal") && !isJournal(nil))
        #expect([Log.Severity.info, .warning, .error].map(\.journalPrefix) == ["", "<4>", "<3>"])
    }

    @Test("shows a severity in bold and in a colour, where colours are wanted, and in text alone")
    func colors() {
        let warning = Log.Entry(severity: .warning, event: "warning", text: "odd")
        let error = Log.Entry(severity: .error, event: "start", text: "wrong")
        let info = Log.Entry(severity: .info, event: "stopped", text: "stopped")
        let text = Log(format: .text)
        #expect(text.line(of: warning, at: 0, isColored: true) == "drilldown: \u{1B}[1;33mwarning\u{1B}[0m: odd")
        #expect(text.line(of: error, at: 0, isColored: true) == "drilldown: \u{1B}[1;31merror\u{1B}[0m: wrong")
        #expect(text.line(of: info, at: 0, isColored: true) == "drilldown: stopped")
        #expect(text.line(of: error, at: 0) == "drilldown: error: wrong")
        #expect(Log(format: .json).line(of: error, at: 0, isColored: true) == Log(format: .json).line(of: error, at: 0))
    }
}
