import Threads

@testable import TreeSources

extension SourceWatcher {
    /// Drives the watcher until it reports something.
    ///
    /// - Returns: nil if the time is over before, or a wake-up comes.
    func nextReport(within time: Duration = .seconds(120), unless wakeup: Wakeup? = nil) -> SourceReport? {
        next(within: time, unless: wakeup, addWaits) { advance(at: .now) }
    }
}

extension WatchedFiles {
    /// Waits until the file of a watcher may have changed; false if the time is over before.
    func seeChange(of watcher: FileWatcher, within time: Duration = .seconds(120)) -> Bool {
        next(within: time, addWaits) { takeChanged(at: .now).contains { $0 === watcher } ? true : nil } ?? false
    }
}

private func next<Value>(
    within time: Duration, unless wakeup: Wakeup? = nil, _ addWaits: (inout WaitSet) -> Void, _ find: () -> Value?
) -> Value? {
    let limit = ContinuousClock.now + time
    while true {
        if let value = find() { return value }
        var waits = WaitSet()
        waits.wake(by: limit)
        if let wakeup { waits.add(wakeup.descriptor) }
        addWaits(&waits)
        waits.wait()
        if ContinuousClock.now >= limit || wakeup?.reset() == true { return nil }
    }
}
