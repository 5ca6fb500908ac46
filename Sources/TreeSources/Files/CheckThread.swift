internal import Glibc
internal import Locking
internal import Threads

/// The thread that works while the store's thread waits for the disk, and that waits for the disk in its place.
///
/// It is started by the first save. If the system starts no more threads, the caller does its work.
final class CheckThread {
    private var worker: WorkerThread?
    private let completion = Semaphore()

    /// Runs a job while the caller waits for the disk; returns when both are done.
    func run<Value: Sendable>(_ job: @escaping @Sendable () -> Value, while wait: () -> Void) -> Value {
        start()
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

    /// Closes a file that has lost its last name, while the caller goes on.
    ///
    /// The file system frees its blocks then, and may wait for the disk to discard them. Where there is little space, that
    /// is done at once, so that whoever is told of the save finds as much space as there will be.
    func close(removed file: consuming DocumentFile) {
        guard file.isSmallBesideFreeSpace else { return }
        start()
        let descriptor = file.release()
        guard worker?.add({ _ = Glibc.close(descriptor) }) != true else { return }
        _ = Glibc.close(descriptor)
    }

    private func start() {
        guard worker == nil else { return }
        do throws(SystemCallError) {
            // A check may come while a file is still waiting to be closed.
            worker = try WorkerThread(name: "store-checks", limit: 2)
        } catch {
            worker = nil
        }
    }
}
