import Testing

@testable import Bytes
@testable import Heap

@Suite("The budget of memory") struct MemoryBudgetTests {
    @Test("leaves the rest of the stricter limit, less a sixteenth, which is 4 to 32 MiB")
    func left() {
        let use = ProcessSize(addresses: 700 << 20, resident: 100 << 20)
        func left(_ memory: Int, _ addresses: Int) -> Int {
            MemoryBudget.left(of: memory, and: addresses, using: use) >> 20
        }
        #expect(left(.max, .max) == Int.max >> 20)
        #expect(left(256 << 20, .max) == 256 - 16 - 100)
        #expect(left(.max, 1_000 << 20) == 1_000 - 32 - 700)
        #expect(left(256 << 20, 1_000 << 20) == 256 - 16 - 100)
        #expect(left(8 << 30, 1_000 << 20) == 1_000 - 32 - 700)
        #expect(left(32 << 20, .max) == 32 - 4 - 100)
        #expect(left(0, 0) == -4 - 700)
    }

    @Test("reads the size of the process as the system writes it")
    func size() {
        let size = ProcessSize(pages: "250 30 12 1 0 99 0\n".utf8Span.span)
        #expect(size.addresses == 250 * 4_096 && size.resident == 30 * 4_096)
        let none = ProcessSize(pages: Span())
        #expect(none.addresses == 0 && none.resident == 0)
        let now = ProcessSize.now
        #expect(now.addresses > now.resident && now.resident > 1 << 20)
    }

    @Test("counts the buffers of a thread that could not grow")
    func refusals() {
        let before = MemoryBudget.refusals
        let buffer = ByteBuffer(capacity: 1 << 60)
        let isIncomplete = buffer.isIncomplete
        #expect(isIncomplete && MemoryBudget.refusals == before + 1)
    }

    @Test("has room for anything without a limit, and returns reservations")
    func reservations() throws {
        try #require(MemoryBudget.addressLimit == .max)
        #expect(MemoryBudget.hasRoom(for: 1 << 50) && !MemoryBudget.isTight)
        // Two of them at once are more than any number.
        var reservation = MemoryBudget.reserve(1 << 62)
        #expect(reservation != nil)
        reservation = nil
        #expect(MemoryBudget.reserve(1 << 62) != nil)
    }

    @Test("refuses work that does not fit, which takes nothing; short bodies always have room")
    func limited() async {
        // The limit is that of a process.
        await #expect(processExitsWith: .success) {
            MemoryBudget.setLimit(ProcessSize.now.resident + (200 << 20))
            for _ in 0..<4 { #expect(MemoryBudget.reserve(1 << 30) == nil) }
            #expect(MemoryBudget.reserve(8 << 20) != nil)
            #expect(!MemoryBudget.isTight && MemoryBudget.hasRoom(forBody: 1 << 50))
            MemoryBudget.setLimit(1 << 20)
            #expect(MemoryBudget.left < 0 && MemoryBudget.isTight)
            #expect(MemoryBudget.hasRoom(forBody: 4 << 10) && !MemoryBudget.hasRoom(forBody: 1 << 50))
        }
    }

    @Test(
        "is by default that of the control group and of those around it, in both versions",
        arguments: [
            ("0::/a/b\n", 100), ("0::/a/c\n", 200), ("0::/a/d\n", 200), ("0::/\n", nil), ("0::/other\n", nil),
            ("", nil), ("nonsense", nil),
            ("4:memory:/x\n3:cpu:/y\n0::/\n", 70), ("4:cpu,memory:/y\n", 80), ("4:cpu:/x\n", nil),
        ] as [(String, Int?)])
    func controlGroup(membership: String, limit: Int?) {
        let files = [
            "/sys/fs/cgroup/a/b/memory.max": "100\n", "/sys/fs/cgroup/a/memory.max": "200\n",
            "/sys/fs/cgroup/a/c/memory.max": "max\n", "/sys/fs/cgroup/a/d/memory.max": "300\n",
            "/sys/fs/cgroup/other/memory.max": "-5\n",
            "/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "70\n",
            "/sys/fs/cgroup/memory/y/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "80\n",
        ]
        #expect(ControlGroup(membership: membership, read: { files[$0] }).memoryLimit == limit)
    }
}
