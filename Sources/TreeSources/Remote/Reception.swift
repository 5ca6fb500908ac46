internal import ContentCodings
internal import Files
internal import Glibc

/// Receives one response. The lines of the header are read, and the body is written to a temporary file.
final class Reception {
    /// The reason why a response was cut off.
    enum Cut {
        case tooLarge, headTooLarge, lineTooLong
        /// The response is an HTML page.
        case page
        /// The content coding is not the one that the request asks for.
        case unknownCoding(String)
        /// The body does not have its content coding.
        case undecodable
        /// A redirect leads to an address of this machine or of its link, but the source is elsewhere.
        case localRedirect
        case notKept(ErrorNumber)
    }

    private(set) var head = AnswerHead()
    private(set) var pace: TransferPace
    private(set) var cut: Cut?
    /// The size of the body in bytes, after content decoding.
    private(set) var size = 0
    /// The file for the body. It is created before the response arrives, when descriptors may still be available; nil
    /// if the creation failed.
    private var file: TemporaryFile?
    private var decoder: GzipDecoder?
    /// The place of the source's own server, which the first request is sent to; nil before that request.
    private var origin: HostPlace?
    private var headBytes = 0
    private let mostBytes: Int
    private let progress: FetchProgress?
    private let clock = ContinuousClock()

    static let mostHeadBytes = 256 << 10
    /// The maximum length of a header line. It is the lowest limit of any libcurl release.
    static let mostLineBytes = 100 << 10

    init(mostBytes: Int, pace: TransferPace, progress: FetchProgress? = nil) {
        self.mostBytes = mostBytes
        self.pace = pace
        self.progress = progress
        do throws(ErrorNumber) {
            file = try TemporaryFile()
        } catch {
            // The file is created again when the body arrives. If that fails, too, the failure is reported.
            file = nil
        }
    }

    /// Checks the address of the server before a request is sent to it. Returns false if the request must not be sent.
    func checkServer(at address: String) -> Bool {
        let place = HostPlace(address: address)
        let origin = origin ?? place
        self.origin = origin
        return place == .elsewhere || place == origin || end(.localRedirect)
    }

    /// Returns the fault if the transfer takes too long, otherwise nil.
    func paceFault() -> TransferPace.Fault? { pace.fault(at: clock.now) }

    /// Reads a line of the header. Returns false if the response must be abandoned.
    func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        guard bytes.count <= Self.mostLineBytes else { return end(.lineTooLong) }
        guard headBytes <= Self.mostHeadBytes else { return end(.headTooLarge) }
        head.take(unsafe String(decoding: bytes, as: UTF8.self))
        guard head.isComplete else { return true }
        if head.isRedirect { pace.beginAnew(at: clock.now) }
        guard head.status == 200 else { return true }
        guard !head.isPage else { return end(.page) }
        if let coding = head.coding {
            guard coding == "gzip" || coding == "x-gzip" else { return end(.unknownCoding(coding)) }
            decoder = GzipDecoder()
        }
        pace.beginBody(at: clock.now)
        // The length of a coded body is not that of the document.
        let length = head.coding == nil ? head.contentLength : nil
        progress?.beginBody(bytes: length)
        return (length ?? 0) <= mostBytes || end(.tooLarge)
    }

    /// Reads a piece of the body. Returns false if the response must be abandoned.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // The status of an error response is enough, so its body is not read.
        guard head.status == 200 else { return false }
        guard head.coding != nil else { return unsafe takeDecoded(bytes) }
        let isDecoded = unsafe decoder?.decode(bytes) { unsafe takeDecoded($0) }
        return isDecoded == true || cut == nil && end(.undecodable)
    }

    private func takeDecoded(_ bytes: UnsafeRawBufferPointer) -> Bool {
        size += bytes.count
        guard size <= mostBytes else { return end(.tooLarge) }
        pace.receive(bytes.count)
        progress?.add(bytes: bytes.count)
        do throws(ErrorNumber) {
            try unsafe keep(bytes)
            return true
        } catch {
            return end(.notKept(error))
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) throws(ErrorNumber) {
        if file == nil { file = try TemporaryFile() }
        try unsafe file?.append(bytes)
    }

    private func end(_ cut: Cut) -> Bool {
        self.cut = cut
        return false
    }

    /// Whether the body has its end. libcurl checks only the length of the coded body.
    var isComplete: Bool { decoder?.isComplete ?? true }

    /// Returns the body, which the caller then owns. Returns nil if the response does not have a body.
    func takeDocument() -> FetchedDocument? {
        guard size > 0, let file = file.take() else { return nil }
        return FetchedDocument(
            file: file.document(), mediaType: head.mediaType, validators: head.validators,
            isWaitApplied: head.isWaitApplied)
    }
}

/// The place of an address. Servers on this machine or its link often trust every client.
enum HostPlace {
    case thisMachine, link, elsewhere

    /// - Parameter address: an IP address in the form of `inet_ntop(3)`.
    init(address: String) {
        let address = address.hasPrefix("::ffff:") ? String(address.dropFirst(7)) : address
        func begins(_ prefixes: String...) -> Bool { prefixes.contains(where: address.hasPrefix) }
        let isOwn = address == "::" || address == "::1" || begins("127.", "0.")
        self = isOwn ? .thisMachine : begins("169.254.", "fe8", "fe9", "fea", "feb") ? .link : .elsewhere
    }
}

/// The time limits of a transfer: one for the beginning of the response, then one for each part of the body.
struct TransferPace: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The reason why a transfer takes too long.
    enum Fault: Sendable, Equatable {
        /// No response began within this time.
        case silent(Duration)
        /// The response was slower than `leastRate` for this time.
        case slow(Duration)
    }

    /// The minimum rate in bytes per second. A slower response is abandoned.
    static let leastRate = 1_024

    private let patience: Duration
    private let wait: Duration
    /// The time of the next check.
    private(set) var deadline: Instant
    /// The number of bytes of the body since the previous check; nil before the body begins.
    private var received: Int?

    /// - Parameters:
    ///   - patience: how long the origin may send nothing, or almost nothing.
    ///   - wait: the additional time before the response must begin, if the request asks the origin to wait.
    init(patience: Duration, wait: Duration?, from now: Instant) {
        self.patience = patience
        self.wait = wait ?? .zero
        deadline = now + patience + self.wait
    }

    /// Records a redirect, after which the request begins again at another URL.
    mutating func beginAnew(at now: Instant) {
        deadline = now + patience + wait
        received = nil
    }

    /// Records that the header is complete and the body follows.
    mutating func beginBody(at now: Instant) {
        deadline = now + patience
        received = 0
    }

    mutating func receive(_ count: Int) { received? += count }

    /// Checks the transfer if the deadline has passed. Returns the fault if too little has arrived by then. Otherwise
    /// sets the next deadline, and returns nil.
    mutating func fault(at now: Instant) -> Fault? {
        guard now >= deadline else { return nil }
        guard let received else { return .silent(patience + wait) }
        let least = Int(patience.components.seconds) * Self.leastRate
        guard received >= least else { return .slow(patience) }
        beginBody(at: now)
        return nil
    }
}
