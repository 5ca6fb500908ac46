internal import Locking

/// A thread that does long work for another one, which waits for it: at a priority that the waiting thread need not
/// have, because a thread without privileges cannot raise its own again.
///
/// The two never run at once, so that the work may use whatever its caller uses.
public final class BackgroundThread: Sendable {
    private let slot: WorkSlot
    private let thread: Thread

    /// Starts the thread, at the priority of its caller.
    ///
    /// - Parameters: as those of `Thread`.
    /// - Throws: `SystemCallError` if the system has no thread or descriptor left.
    public init(name: String, stackBytes: Int? = nil) throws(SystemCallError) {
        let slot = try WorkSlot()
        thread = try Thread(name: name, stackBytes: stackBytes) { slot.serve() }
        self.slot = slot
    }

    deinit { stop() }

    /// Runs a closure on the thread, and waits until it is done; for one caller at a time.
    ///
    /// After a stop it runs on the caller's own thread.
    public func perform<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        var result: Result<Value, Failure>?
        slot.run {
            do throws(Failure) {
                result = .success(try body())
            } catch {
                result = .failure(error)
            }
        }
        return if let result { try result.get() } else { try body() }
    }

    /// Sets the thread's niceness: from 0, the usual one, to 19, the lowest priority.
    public func setNiceness(_ niceness: Int32) { perform { Thread.setNiceness(niceness) } }

    /// Ends the thread and waits for its end; not while it works.
    public func stop() {
        slot.close()
        thread.join()
    }
}

/// Where the work for a thread is put, and taken away by it.
private final class WorkSlot: Sendable {
    private enum Content {
        case nothing
        case work(Work)
        case closed
    }

    /// Unchecked Sendable: the thread that puts it into the slot waits until it is done and released, so that only one
    /// thread at a time uses what the closure captures; the wake-ups order their accesses.
    private struct Work: @unchecked Sendable {
        let run: () -> Void
    }

    private let content = Guarded(Content.nothing)
    /// Wakes the thread that works.
    private let arrival: Wakeup
    /// Wakes the one that waits for it.
    private let completion: Wakeup

    init() throws(SystemCallError) {
        arrival = try Wakeup()
        completion = try Wakeup()
    }

    /// Has the other thread run a closure, and waits; does nothing after `close()`.
    func run(_ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            guard put(Work(run: body)) else { return }
            arrival.signal()
            completion.wait()
        }
    }

    private func put(_ work: Work) -> Bool {
        content.withLock { content in
            if case .closed = content { return false }
            content = .work(work)
            return true
        }
    }

    func close() {
        content.withLock { $0 = .closed }
        arrival.signal()
    }

    /// Runs what is put into the slot, until it is closed.
    func serve() {
        var isOpen = true
        while isOpen {
            arrival.wait()
            isOpen = runNext()
        }
    }

    /// Runs the work in the slot; false if there will be no more.
    private func runNext() -> Bool {
        guard runContent() else { return false }
        // By now the work is released; its closure does not outlive the caller's wait.
        completion.signal()
        return true
    }

    private func runContent() -> Bool {
        let taken = content.withLock { content in
            defer { if case .work = content { content = .nothing } }
            return content
        }
        guard case .work(let work) = taken else { return false }
        work.run()
        return true
    }
}

/// One value that a thread gives to another, which waits for it.
public final class Handover<Value: Sendable>: Sendable {
    private let value = Guarded<Value?>(nil)
    private let wakeup: Wakeup

    /// - Throws: `SystemCallError` if the system has no descriptor left (`eventfd(2)`).
    public init() throws(SystemCallError) { wakeup = try Wakeup() }

    /// Hands over the value; does not wait for the other thread.
    public func give(_ given: Value) {
        value.withLock { $0 = given }
        wakeup.signal()
    }

    /// Waits for the value; for one thread, once.
    public func take() -> Value {
        while true {
            wakeup.wait()
            if let taken = value.withLock({ $0 }) { return taken }
        }
    }
}
