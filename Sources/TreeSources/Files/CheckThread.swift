internal import Locking
internal import Threads

/// The thread that works while the store's thread waits for the disk.
///
/// It is started by the first save. If the system starts no more threads, the caller does its work.
final class CheckThread {
    private var worker: WorkerThread?
    private let completion = Semaphore()

    /// Runs a job while the caller waits for the disk; returns when both are done.
    func run<Value: Sendable>(_ job: @escaping @Sendable () -> Value, while wait: () -> Void) -> Value {
        if worker == nil { worker = started("store-checks") }
        let result = Guarded<Value?>(nil)
        let isTaken = worker?.add { [completion] in
            let value = job()
            result.withLock { $0 = value }
            completion.signal()
        }
        wait()
        guard isTaken == true else { return job() }
        completion.wait()
        return result.withLock { $0 } ?? job()
    }

    private func started(_ name: String) -> WorkerThread? {
        do throws(SystemCallError) {
            return try WorkerThread(name: name)
        } catch {
            return nil
        }
    }
}
