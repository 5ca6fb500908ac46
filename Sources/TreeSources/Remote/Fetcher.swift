internal import Threads

/// Sends requests to an origin, one at a time, on one thread.
final class Fetcher {
    private let address: RemoteAddress
    private let limits: RemoteDocument.Limits
    private let progress: LoadProgress?
    private let loop: TransferLoop
    private var transfer: Transfer?
    /// The reception of the running transfer.
    private var reception: Reception?

    /// - Throws: `SourceError` if there is not enough memory.
    init(_ address: RemoteAddress, limits: RemoteDocument.Limits, progress: LoadProgress? = nil) throws(SourceError) {
        guard let loop = TransferLoop() else { throw Self.noMemory(address) }
        self.loop = loop
        self.address = address
        self.limits = limits
        self.progress = progress
    }

    deinit { giveUp() }

    private static func noMemory(_ address: RemoteAddress) -> SourceError {
        SourceError(address.shown, "it cannot be fetched, because there is not enough memory for a request")
    }

    /// Whether a request is running.
    var isBusy: Bool { reception != nil }

    /// Sends a request, replacing a running one.
    func begin(_ request: FetchRequest) throws(SourceError) {
        giveUp()
        guard let begun = Transfer(request, from: address, limits: limits, progress: progress) else {
            throw Self.noMemory(address)
        }
        loop.add(begun)
        reception = begun.reception
        transfer = consume begun
    }

    /// Cancels a running request, even if part of its response has arrived.
    func giveUp() { _ = end() }

    private func end() -> Transfer? {
        reception = nil
        guard let ended = transfer.take() else { return nil }
        loop.remove(ended)
        return ended
    }

    /// Does all work that is possible without waiting.
    ///
    /// - Returns: the outcome of the request; nil while it is running, or if none is.
    func advance() -> FetchOutcome? {
        guard let reception else { return nil }
        if let code = loop.advance() { return end()?.outcome(code, from: address, limits: limits) }
        guard let fault = reception.paceFault() else { return nil }
        giveUp()
        let refusal = FetchRefusal(address: address, limits: limits, redirect: nil)
        return .failed(refusal.ofPace(fault), retryAfter: nil)
    }

    /// Adds what the running request waits for; nothing if none is running.
    func addWaits(to waits: inout WaitSet) {
        guard let reception else { return }
        loop.addWaits(to: &waits)
        waits.wake(by: reception.pace.deadline)
    }

    /// Sends a request and waits for its outcome.
    ///
    /// - Throws: `SourceError` if the outcome is not a document.
    func fetch(_ request: FetchRequest) throws(SourceError) -> FetchedDocument {
        progress?.beginWaiting(for: address.shown)
        try begin(request)
        switch finish() {
        case .fetched(let document): return document
        case .failed(let error, _): throw error
        // Never, because the request was unconditional; a 304 is a failure then.
        case .confirmed: throw SourceError(address.shown, "it returned no document")
        }
    }

    private func finish() -> FetchOutcome {
        while true {
            if let outcome = advance() { return outcome }
            var waits = WaitSet()
            addWaits(to: &waits)
            waits.wait()
        }
    }
}

/// A request for an origin's document, conditional if one was loaded before, at once or after a wait for a change.
struct FetchRequest: Sendable, Equatable {
    /// The validators of the current document; empty if there is none.
    let validators: Validators
    /// How long the origin may hold its response back; nil for not at all.
    let wait: Duration?

    /// Without a tag the origin does not know which state to wait to differ from.
    init(validators: Validators = .init(), wait: Duration? = nil) {
        self.validators = validators
        self.wait = validators.entityTag == nil ? nil : wait
    }

    /// A drilldown server returns its binary form, which is the cheapest to read and can represent every text; any
    /// other server returns what it has.
    private static let accept =
        "Accept: application/x-bplist, application/octet-stream;q=0.9, application/x-plist;q=0.8, application/json;q=0.7, */*;q=0.5"

    /// The header lines that curl does not add by itself; `Prefer` is from RFC 7240.
    var fieldLines: [String] {
        var lines = [Self.accept]
        if let tag = validators.entityTag { lines.append("If-None-Match: \(tag)") }
        if let date = validators.lastModified { lines.append("If-Modified-Since: \(date)") }
        if let wait { lines.append("Prefer: wait=\(wait.components.seconds)") }
        return lines
    }
}

/// The outcome of one request.
enum FetchOutcome {
    case fetched(FetchedDocument)
    /// The document is the one whose validators were sent.
    case confirmed(isWaitApplied: Bool)
    /// `retryAfter`: the pause that the origin asks for.
    case failed(SourceError, retryAfter: Duration?)
}

/// A whole document in a temporary file.
final class FetchedDocument {
    let file: DocumentFile
    let validators: Validators
    let isWaitApplied: Bool

    init(file: consuming DocumentFile, validators: Validators, isWaitApplied: Bool) {
        self.file = file
        self.validators = validators
        self.isWaitApplied = isWaitApplied
    }
}
