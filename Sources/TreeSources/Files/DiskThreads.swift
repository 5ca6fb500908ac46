internal import Glibc
internal import Locking
internal import Threads

/// The threads that work while the store's thread waits for the disk, or wait for the disk in its place.
///
/// Each is started when it is needed first. If the system starts no more threads, the caller does their work.
final class DiskThreads {
    private var checks: WorkerThread?
    private var closes: WorkerThread?
    private let completion = Semaphore()

    /// Runs a job while the caller waits for the disk; returns when both are done.
    func run<Value: Sendable>(_ job: @escaping @Sendable () -> Value, while wait: () -> Void) -> Value {
        if checks == nil { checks = started("store-checks") }
        let result = Guarded<Value?>(nil)
        let isTaken = checks?.add { [completion] in
            let value = job()
            result.withLock { $0 = value }
            completion.signal()
        }
        wait()
        guard isTaken == true else { return job() }
        completion.wait()
        return result.withLock { $0 } ?? job()
    }

    /// Closes a file for which nobody waits.
    ///
    /// The last descriptor of a file without a name frees its blocks, which may wait for the disk as long as a sync.
    func close(_ file: consuming DocumentFile) {
        if closes == nil { closes = started("store-closes") }
        let descriptor = file.release()
        // If another one waits, this is not added, so that few are open.
        guard closes?.add({ _ = Glibc.close(descriptor) }) != true else { return }
        _ = Glibc.close(descriptor)
    }

    private func started(_ name: String) -> WorkerThread? {
        do throws(SystemCallError) {
            return try WorkerThread(name: name)
        } catch {
            return nil
        }
    }
}
