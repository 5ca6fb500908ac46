import CThreads
import Glibc
import Locking
import Testing
import Threads

@Suite("A thread")
struct ThreadTests {
    /// The properties that a thread reads of itself.
    private struct Finding: Equatable, Sendable {
        var name = ""
        var stackBytes = 0
        var niceness: Int32 = 0
        var heldBack: [Int32] = []
    }

    /// Has a thread look at itself, and waits for its end.
    private func finding(
        name: String = "test", stackBytes: Int? = nil, before: @escaping @Sendable () -> Void = {}
    ) throws -> Finding {
        let found = Guarded(Finding())
        let thread = try Thread(name: name, stackBytes: stackBytes) {
            before()
            let finding = Finding(
                name: Self.ownName(), stackBytes: Self.ownStackBytes(),
                niceness: getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0),
                heldBack: Self.heldBack([SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT]))
            found.withLock { $0 = finding }
        }
        thread.join()
        return found.withLock { $0 }
    }

    @Test(
        "has its name, of which the system keeps 15 bytes",
        arguments: [
            ("store", "store"), ("", ""), ("fifteen-letters", "fifteen-letters"),
            ("sixteen-letters!", "sixteen-letters"),
        ])
    func name(_ given: String, _ kept: String) throws {
        #expect(try finding(name: given).name == kept)
    }

    @Test("has a stack of the size that is asked for at least")
    func stack() throws {
        // More than the system's own; a thread may get the larger stack of one that has ended.
        #expect(try finding(stackBytes: 1 << 25).stackBytes >= 1 << 25)
    }

    @Test("is refused with the call that failed if its stack is too small")
    func smallStack() {
        let error = #expect(throws: SystemCallError.self) { try Thread(name: "small", stackBytes: 1) {} }
        #expect(error?.call == "pthread_attr_setstacksize" && error?.code == EINVAL)
        #expect(error?.description == "pthread_attr_setstacksize failed: Invalid argument")
    }

    @Test("takes no signal from outside, but its own faults")
    func signals() throws {
        #expect(try finding().heldBack == [SIGTERM, SIGINT, SIGHUP])
    }

    @Test("sets its own niceness, and of no other thread")
    func niceness() throws {
        let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        #expect(try finding { Thread.setNiceness(10) }.niceness == 10)
        #expect(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) == own)
    }

    @Test("is joined once; the second time there is nothing to wait for")
    func joinTwice() throws {
        let hasRun = Guarded(false)
        let thread = try Thread(name: "test") { hasRun.withLock { $0 = true } }
        thread.join()
        #expect(hasRun.withLock { $0 })
        thread.join()
    }

    @Test("is detached when it joins itself")
    func joinItself() throws {
        let itself = Handover<Thread>()
        let hasJoined = Handover<Bool>()
        let thread = try Thread(name: "test") {
            itself.take().join()
            hasJoined.give(true)
        }
        itself.give(thread)
        #expect(hasJoined.take())
        // It was let go already.
        thread.join()
    }

    @Test("goes on when it is let go without being joined")
    func letGo() throws {
        let go = try Wakeup()
        let hasRun = Handover<Bool>()
        _ = try Thread(name: "test") {
            go.wait()
            hasRun.give(true)
        }
        go.signal()
        #expect(hasRun.take())
    }

    @Test("frees its job when the job has ended")
    func release() throws {
        final class Held: Sendable {}
        var held: Held? = Held()
        weak let kept = held
        let thread = try Thread(name: "test") { [held] in _ = held }
        held = nil
        thread.join()
        #expect(kept == nil)
    }

    // MARK: On the thread

    private static func ownName() -> String {
        var bytes = [CChar](repeating: 0, count: 16)
        unsafe pthread_getname_np(pthread_self(), &bytes, bytes.count)
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func ownStackBytes() -> Int {
        var attributes = pthread_attr_t()
        unsafe pthread_getattr_np(pthread_self(), &attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        var bytes = 0
        unsafe pthread_attr_getstacksize(&attributes, &bytes)
        return bytes
    }

    private static func heldBack(_ signals: [Int32]) -> [Int32] {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        return signals.filter { unsafe sigismember(&mask, $0) == 1 }
    }
}
