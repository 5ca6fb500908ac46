internal import Threads

/// Sends requests to an origin, one at a time, on one thread.
final class Fetcher {
    private let address: RemoteAddress
    private let limits: RemoteDocument.Limits
    private let progress: LoadProgress?
    private let loop: TransferLoop
    private var transfer: Transfer?
    /// The reception of the current transfer.
    private var reception: Reception?

    /// - Throws: `SourceError` if there is not enough memory.
    init(address: RemoteAddress, limits: RemoteDocument.Limits, progress: LoadProgress? = nil) throws(SourceError) {
        guard let loop = TransferLoop() else { throw Self.noMemory(address) }
        self.loop = loop
        self.address = address
        self.limits = limits
        self.progress = progress
    }

    deinit { giveUp() }

    private static func noMemory(_ address: RemoteAddress) -> SourceError {
        SourceError(address.shown, reason: "it cannot be fetched, because there is not enough memory for a request")
    }

    /// Whether a request is running.
    var isBusy: Bool { reception != nil }

    /// Sends a request, and cancels the current request.
    func begin(_ request: FetchRequest) throws(SourceError) {
        giveUp()
        guard let begun = Transfer(request: request, from: address, limits: limits, progress: progress) else {
            throw Self.noMemory(address)
        }
        loop.add(begun)
        reception = begun.reception
        transfer = consume begun
    }

    /// Cancels the current request, even if part of its response has arrived.
    func giveUp() { _ = end() }

    private func end() -> Transfer? {
        reception = nil
        guard let ended = transfer.take() else { return nil }
        loop.remove(ended)
        return ended
    }

    /// Continues the request without waiting.
    ///
    /// - Returns: the outcome if the request has ended; nil while it runs.
    func advance() -> FetchOutcome? {
        guard let reception else { return nil }
        if let code = loop.advance() { return end()?.outcome(code, from: address, limits: limits) }
        guard let fault = reception.paceFault() else { return nil }
        giveUp()
        let refusal = FetchRefusal(address: address, limits: limits, redirect: nil)
        return .failed(refusal.ofPace(fault), retryAfter: nil)
    }

    /// Adds the events that the current request waits for.
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
        // This is impossible, because the request was unconditional: a status of 304 is then a failure.
        case .confirmed: throw SourceError(address.shown, reason: "it returned no document")
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

/// A request for an origin's document.
///
/// With validators, the request is conditional. With a wait, the origin may hold its response back until the document
/// changes.
struct FetchRequest: Sendable, Equatable {
    /// The validators of the current document; empty for an unconditional request.
    let validators: Validators
    /// How long the origin may wait before it responds; nil for an immediate response.
    let wait: Duration?

    /// Creates a request. Without an entity tag, `wait` is ignored, because the origin needs the tag to recognize a
    /// change.
    init(validators: Validators = .init(), wait: Duration? = nil) {
        self.validators = validators
        self.wait = validators.entityTag == nil ? nil : wait
    }

    /// The preferred media types. A drilldown server returns the binary form, which is the fastest to read and can
    /// represent every text. Other servers ignore this field.
    private static let accept =
        "Accept: application/x-bplist, application/octet-stream;q=0.9, application/x-plist;q=0.8, application/json;q=0.7, */*;q=0.5"

    /// The header lines that curl does not add by itself. `Prefer` is defined in RFC 7240.
    var fieldLines: [String] {
        var lines = [Self.accept, "Accept-Encoding: gzip"]
        if let tag = validators.entityTag { lines.append("If-None-Match: \(tag)") }
        if let date = validators.lastModified { lines.append("If-Modified-Since: \(date)") }
        if let wait { lines.append("Prefer: wait=\(wait.components.seconds)") }
        return lines
    }
}

/// The outcome of one request.
enum FetchOutcome {
    case fetched(FetchedDocument)
    /// The document has not changed since the origin sent the validators of the request.
    case confirmed(isWaitApplied: Bool)
    /// - Parameter retryAfter: the pause that the origin asks for, if any.
    case failed(SourceError, retryAfter: Duration?)
}

/// A whole document in a temporary file.
final class FetchedDocument {
    let file: DocumentFile
    /// The media type in the response; nil if it is absent.
    let mediaType: String?
    let validators: Validators
    let isWaitApplied: Bool

    init(file: consuming DocumentFile, mediaType: String?, validators: Validators, isWaitApplied: Bool) {
        self.file = file
        self.mediaType = mediaType
        self.validators = validators
        self.isWaitApplied = isWaitApplied
    }
}
