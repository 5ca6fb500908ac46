import Threads

@testable import TreeSources

extension SourceWatcher {
    /// Drives the watcher until it reports something.
    ///
    /// - Returns: nil if the time is over before, or a wake-up comes.
    func nextReport(within time: Duration = .seconds(20), unless wakeup: Wakeup? = nil) -> SourceReport? {
        let limit = ContinuousClock.now + time
        while true {
            if let report = advance(at: .now) { return report }
            var waits = WaitSet()
            waits.wake(by: limit)
            if let wakeup { waits.add(wakeup.descriptor) }
            addWaits(to: &waits)
            waits.wait()
            if ContinuousClock.now >= limit || wakeup?.reset() == true { return nil }
        }
    }
}
