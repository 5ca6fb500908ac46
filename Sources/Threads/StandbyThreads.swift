internal import Locking

/// Threads that each run one piece of work after another, and end when there was none for some seconds.
///
/// To start a thread for an answer of 100 rows takes about as long as to read them.
public final class StandbyThreads: Sendable {
    public typealias Work = @Sendable () -> Void

    /// A thread without work, and the work that it gets.
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
    ///   - niceness: from 0, the default of threads, to 19, the lowest priority.
    ///   - secondsIdle: how long a thread waits for work before it ends.
    public init(name: String, niceness: Int32, secondsIdle: Int = 10) {
        (self.name, self.niceness, self.secondsIdle) = (name, niceness, secondsIdle)
    }

    /// The number of threads without work.
    var idleCount: Int { standbys.withLock(\.count) }

    /// Runs work on a thread that waits, else on a new one; if the system starts none, on this one.
    ///
    /// The thread that waited least is taken, so that the others can end.
    public func run(_ work: @escaping Work) {
        if let standby = standbys.withLock({ $0.popLast() }) {
            standby.work.withLock { $0 = work }
            standby.arrival.signal()
            return
        }
        do {
            _ = try Thread(name: name) {
                Thread.setNiceness(self.niceness)
                work()
                let standby = Standby()
                while let next = self.next(for: standby) { next() }
            }
        } catch {
            work()
        }
    }

    /// Waits for work; nil if there was none.
    private func next(for standby: Standby) -> Work? {
        standbys.withLock { $0.append(standby) }
        if !standby.arrival.wait(seconds: secondsIdle) {
            let isWithdrawn = standbys.withLock { standbys in
                guard let place = standbys.firstIndex(where: { $0 === standby }) else { return false }
                standbys.remove(at: place)
                return true
            }
            guard !isWithdrawn else { return nil }
            // Its work is on the way.
            standby.arrival.wait()
        }
        return standby.work.withLock { $0.take() }
    }
}
