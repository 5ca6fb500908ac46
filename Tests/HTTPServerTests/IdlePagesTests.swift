import Glibc
import Testing

@testable import HTTPServer

@Suite("Pages that hold nothing")
struct IdlePagesTests {
    /// Pages of their own, all of them resident.
    @safe
    final class Pages {
        let bytes: UnsafeMutableRawBufferPointer
        static let size = sysconf(Int32(_SC_PAGESIZE))

        init(_ count: Int) throws {
            let start = unsafe mmap(nil, count * Pages.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            let memory = try unsafe #require(start)
            unsafe bytes = UnsafeMutableRawBufferPointer(start: memory, count: count * Pages.size)
            unsafe memset(memory, 0, bytes.count)
        }

        deinit { unsafe munmap(bytes.baseAddress, bytes.count) }

        /// Which pages have memory.
        var resident: [Bool] {
            var states = unsafe [UInt8](repeating: 0, count: bytes.count / Pages.size)
            unsafe mincore(bytes.baseAddress, bytes.count, &states)
            return states.map { $0 & 1 == 1 }
        }

        func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
            unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
        }
    }

    @Test("are given back where they are zeros, and within the bounds")
    func zeros() throws {
        let pages = try Pages(6)
        unsafe pages.bytes[2 * Pages.size + 4095] = 7
        unsafe IdlePages.releaseZeros(within: pages.part(1..<(5 * Pages.size + 100)))
        #expect(pages.resident == [true, false, true, false, false, true])
        let (kept, zero) = unsafe (pages.bytes[2 * Pages.size + 4095], pages.bytes[3 * Pages.size])
        #expect(kept == 7 && zero == 0)
    }

    @Test("are given back whatever they hold where nobody reads it")
    func buffer() throws {
        let pages = try Pages(4)
        for index in 0..<(4 * Pages.size) { unsafe pages.bytes[index] = 1 }
        unsafe IdlePages.release(within: pages.part(100..<(3 * Pages.size)))
        #expect(pages.resident == [true, false, false, true])
        let before = unsafe pages.bytes[99]
        #expect(before == 1)
    }

    @Test("are left alone in what is shorter than a page")
    func short() throws {
        let pages = try Pages(2)
        unsafe IdlePages.releaseZeros(within: pages.part(10..<(Pages.size + 10)))
        unsafe IdlePages.release(within: pages.part(0..<100))
        #expect(pages.resident == [true, true])
    }

    @Test("of the library's memory are given back only where all that was read are requests", arguments: [0, 2, 16])
    func blankLines(blanks: Int) throws {
        let request = [UInt8]("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let (client, server) = try connected()
        defer { for descriptor in [client, server] { close(descriptor) } }
        // Blank lines before a request put it off the beginning of the memory, so that its end is not known.
        let message = [UInt8](repeating: UInt8(ascii: "\n"), count: blanks) + request
        let pages = try Pages(5)
        #expect(unsafe send(client, message, message.count, 0) == message.count)
        #expect(unsafe recv(server, pages.bytes.baseAddress, message.count, Int32(MSG_WAITALL)) == message.count)
        // What was not read yet does not count.
        #expect(unsafe send(client, request, request.count, 0) == request.count)
        var memory = RequestMemory()
        let start = try unsafe #require(pages.bytes.baseAddress) + blanks
        let bytes = unsafe start.assumingMemoryBound(to: UInt8.self)
        unsafe memory.addHeader(at: bytes, size: request.count, records: 64)
        memory.releaseZeros(size: 5 * Pages.size, bytesRead: RequestMemory.bytesRead(from: server))
        #expect(pages.resident == [true] + Array(repeating: blanks > 0, count: 4))
    }

    /// Both ends of a TCP connection.
    private func connected() throws -> (Int32, Int32) {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = (listener.address.port ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let outcome = unsafe withUnsafePointer(to: &address) {
            let raw = unsafe UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self)
            return unsafe connect(client, raw, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        try #require(outcome == 0)
        // Connected to the listening socket, which does not block, so that it can be accepted.
        let server = accept(listener.descriptor, nil, nil)
        try #require(server >= 0)
        return (client, server)
    }
}
