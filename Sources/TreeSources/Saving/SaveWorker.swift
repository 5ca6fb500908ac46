internal import Glibc
internal import Locking
internal import Threads

/// A thread that does parts of saves while the store's thread does others: it checks what is being written to disk, and
/// closes the file that was replaced.
///
/// It is started by the first save. If the system starts no more threads, the caller does its work.
final class SaveWorker {
    private var thread: WorkerThread?
    private let completion = Semaphore()
    /// How many replaced files wait to be closed.
    private let unclosed = Guarded(0)

    /// Later ones are closed at once.
    private static let mostUnclosed = 2

    /// Runs a job while the caller waits for the disk; returns when both are done.
    func run<Value: Sendable>(_ job: @escaping @Sendable () -> Value, while wait: () -> Void) -> Value {
        start()
        let result = Guarded<Value?>(nil)
        let isTaken = thread?.add { [completion] in
            let value = job()
            result.withLock { $0 = value }
            completion.signal()
        }
        wait()
        guard isTaken == true else { return job() }
        completion.wait()
        return result.withLock { $0 } ?? job()
    }

    /// Closes a file that has lost its last name, while the caller goes on.
    ///
    /// The file system frees its blocks then, and may wait for the disk to discard them. Where there is little space, that
    /// is done at once, so that whoever is told of the save finds as much space as there will be.
    func close(replaced file: consuming DocumentFile) {
        guard file.isSmallBesideFreeSpace, unclosed.withLock({ $0 }) < Self.mostUnclosed else { return }
        start()
        let descriptor = file.release()
        unclosed.withLock { $0 += 1 }
        let close: @Sendable () -> Void = { [unclosed] in
            _ = Glibc.close(descriptor)
            unclosed.withLock { $0 -= 1 }
        }
        if thread?.add(close) != true { close() }
    }

    /// Whether a replaced file is not closed yet.
    var isClosing: Bool { unclosed.withLock { $0 } > 0 }

    /// Waits until all replaced files are closed.
    func finishClosing() {
        guard isClosing else { return }
        // Jobs are done in their order.
        run({}, while: {})
    }

    private func start() {
        guard thread == nil else { return }
        do throws(SystemCallError) {
            // A client waits for the check. It always finds room, because it waits alone beside the files.
            thread = try WorkerThread(name: "store-saves", limit: Self.mostUnclosed + 1, niceness: 0)
        } catch {
            thread = nil
        }
    }
}
