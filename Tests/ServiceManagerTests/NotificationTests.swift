import Glibc
import Testing

@testable import ServiceManager

@Suite("A notification to the service manager")
struct NotificationTests {
    @Test("is one assignment per line")
    func lines() {
        #expect(Notification.ready(status: "Serving.").text == "READY=1\nSTATUS=Serving.\n")
        #expect(Notification.reloading(atMonotonic: 12_345).text == "RELOADING=1\nMONOTONIC_USEC=12345\n")
        #expect(Notification.stopping(status: "Stopping.").text == "STOPPING=1\nSTATUS=Stopping.\n")
        #expect(Notification.watchdog.text == "WATCHDOG=1\n")
        #expect(Notification.extendTimeout(by: .milliseconds(1_500)).text == "EXTEND_TIMEOUT_USEC=1500000\n")
    }

    @Test("has its status on one line, and cuts a long one between characters")
    func status() {
        #expect(Notification.status("a\nREADY=1\r\nb").text == "STATUS=a READY=1 b\n")
        #expect(Notification.status("a\u{1B}[31m\u{7}\u{85}é").text == "STATUS=a [31m  é\n")
        let long = String(repeating: "é", count: 2_000)
        #expect(Notification.status(long).text == "STATUS=" + String(repeating: "é", count: 1_024) + "…\n")
    }

    @Test("arrives at a socket with a path, and at one with an abstract name", arguments: [true, false])
    func sent(isAbstract: Bool) throws {
        let name = "/tmp/drilldown-notify-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(receiver) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = (isAbstract ? [0] : []) + Array(name.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let outcome = unsafe withUnsafePointer(to: &address) {
            let raw = unsafe UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self)
            return unsafe bind(receiver, raw, socklen_t(2 + bytes.count))
        }
        try #require(outcome == 0)
        defer { if !isAbstract { unsafe unlink(name) } }
        let notifications = try NotificationSocket(address: isAbstract ? "@" + name : name)
        #expect(notifications.send(.watchdog) == nil)
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = unsafe recv(receiver, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        #expect(String(decoding: buffer[..<max(count, 0)], as: UTF8.self) == "WATCHDOG=1\n")
    }

    @Test("that cannot be sent says why")
    func unsent() throws {
        let notifications = try NotificationSocket(address: "/nowhere/notify")
        #expect(notifications.send(.watchdog) == "sendto failed: No such file or directory")
    }
}
