/// Asks an origin, one request at a time, on the thread that waits for the answer.
final class Fetcher {
    typealias Instant = ContinuousClock.Instant

    private let address: RemoteAddress
    private let limits: RemoteDocument.Limits
    private let clock = ContinuousClock()
    private let loop: TransferLoop
    private var transfer: Transfer?
    /// The reception of the transfer that runs.
    private var reception: Reception?

    /// - Throws: `SourceError` where there is no memory for it.
    init(_ address: RemoteAddress, limits: RemoteDocument.Limits) throws(SourceError) {
        guard let loop = TransferLoop() else { throw Self.noMemory(address) }
        self.loop = loop
        self.address = address
        self.limits = limits
    }

    deinit { giveUp() }

    private static func noMemory(_ address: RemoteAddress) -> SourceError {
        SourceError(address.shown, "it cannot be fetched, because there is not enough memory for a request")
    }

    /// Whether a request runs.
    var isBusy: Bool { reception != nil }

    /// Sends a request, in place of one that runs.
    func begin(_ request: FetchRequest) throws(SourceError) {
        giveUp()
        guard let begun = Transfer(request, from: address, limits: limits) else { throw Self.noMemory(address) }
        loop.add(begun)
        reception = begun.reception
        transfer = consume begun
    }

    /// Ends a request that runs, whatever of its answer is there.
    func giveUp() { _ = end() }

    private func end() -> Transfer? {
        reception = nil
        guard let ended = transfer.take() else { return nil }
        loop.remove(ended)
        return ended
    }

    /// Does what can be done without waiting.
    ///
    /// - Returns: what came of the request; nil while it runs, or where none does.
    func advance() -> FetchOutcome? {
        guard let reception else { return nil }
        if let code = loop.advance() { return end()?.outcome(code, from: address, limits: limits) }
        guard let fault = reception.paceFault() else { return nil }
        giveUp()
        let refusal = FetchRefusal(address: address, limits: limits, redirect: nil)
        return .failed(refusal.ofPace(fault), retryAfter: nil)
    }

    /// Waits until there is something to do, the waker is raised, or a point in time is reached.
    func wait(for waker: Waker?, until instant: Instant) {
        let limit = reception.map { min(instant, $0.pace.deadline) } ?? instant
        loop.wait(for: waker, atMost: clock.now.duration(to: limit))
    }

    /// Sends a request and waits for what comes of it.
    ///
    /// - Throws: `SourceError` where that is no document.
    func fetch(_ request: FetchRequest) throws(SourceError) -> FetchedDocument {
        try begin(request)
        switch finish() {
        case .fetched(let document): return document
        case .failed(let error, _): throw error
        // Never, since nothing was there to be confirmed; a 304 is a failure then.
        case .confirmed: throw SourceError(address.shown, "it returned no document")
        }
    }

    private func finish() -> FetchOutcome {
        while true {
            if let outcome = advance() { return outcome }
            wait(for: nil, until: .now + .seconds(60))
        }
    }
}
