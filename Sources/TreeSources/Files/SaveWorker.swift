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
    /// Descriptors of replaced files that nobody has begun to close.
    private var replaced: [Int32] = []
    /// How many replaced files are not closed yet.
    private let unclosed = Guarded(0)

    /// Later ones are closed at once.
    private static let mostUnclosed = 2

    deinit { for descriptor in replaced { _ = Glibc.close(descriptor) } }

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

    /// Takes a file that has lost its last name, to be closed after `beginClosing()`.
    ///
    /// The file system frees its blocks then, and may wait for the disk to discard them. Where there is little space, that
    /// is done at once, so that whoever is told of the save finds as much space as there will be.
    func close(replaced file: consuming DocumentFile) {
        guard file.isSmallBesideFreeSpace, unclosed.withLock({ $0 }) < Self.mostUnclosed else { return }
        replaced.append(file.release())
        unclosed.withLock { $0 += 1 }
    }

    /// Closes the files that were replaced, while the caller goes on.
    func beginClosing() {
        guard !replaced.isEmpty else { return }
        start()
        let close: @Sendable () -> Void = { [replaced, unclosed] in
            for descriptor in replaced { _ = Glibc.close(descriptor) }
            unclosed.withLock { $0 -= replaced.count }
        }
        replaced = []
        if thread?.add(close) != true { close() }
    }

    /// Whether a replaced file is not closed yet.
    var isClosing: Bool { unclosed.withLock { $0 } > 0 }

    /// Waits until all replaced files are closed.
    func finishClosing() {
        guard isClosing else { return }
        beginClosing()
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
