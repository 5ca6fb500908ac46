internal import Locking

/// Threads that run one piece of work after another. A thread ends after some seconds without work.
///
/// Starting a thread takes about as long as reading the 100 rows of an answer.
public final class StandbyThreads: Sendable {
    public typealias Work = @Sendable () -> Void

    /// A thread that waits for work, and the work that it gets.
    private final class Standby: Sendable {
        let work = Guarded<Work?>(nil)
        let arrival = Semaphore()
    }

    private let name: String
    private let niceness: Int32
    private let secondsIdle: Int
    private let standbys = Guarded<[Standby]>([])

    /// - Parameters:
    ///   - name: the name of each `Thread`.
    ///   - niceness: the niceness of each thread: from 0, the default of threads, to 19, the lowest priority.
    ///   - secondsIdle: how long a thread waits for work before it ends.
    public init(name: String, niceness: Int32, secondsIdle: Int = 10) {
        (self.name, self.niceness, self.secondsIdle) = (name, niceness, secondsIdle)
    }

    /// The number of threads without work.
    var idleCount: Int { standbys.withLock(\.count) }

    /// Runs work on a waiting thread, or else on a new thread. If the system starts no more threads, runs the work on
    /// the calling thread.
    ///
    /// The work goes to the thread that has waited for the shortest time, so that the other threads can end.
    public func run(_ work: @escaping Work) {
        if let standby = standbys.withLock({ $0.popLast() }) {
            standby.work.withLock { $0 = work }
            standby.arrival.signal()
            return
        }
        do {
            _ = try Thread(name: name) {
                if self.niceness != 0 { Thread.setNiceness(self.niceness) }
                work()
                let standby = Standby()
                while let next = self.next(for: standby) { next() }
            }
        } catch {
            work()
        }
    }

    /// Waits for work. Returns nil if no work comes for some seconds.
    private func next(for standby: Standby) -> Work? {
        standbys.withLock { $0.append(standby) }
        if !standby.arrival.wait(seconds: secondsIdle) {
            let isWithdrawn = standbys.withLock { standbys in
                guard let place = standbys.firstIndex(where: { $0 === standby }) else { return false }
                standbys.remove(at: place)
                return true
            }
            guard !isWithdrawn else { return nil }
            // `run` has already taken the thread from the list, so work is on the way.
            standby.arrival.wait()
        }
        return standby.work.withLock { $0.take() }
    }
}
