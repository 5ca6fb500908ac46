import DrilldownDates
public import Files
import Glibc
import Locking
import Threads

/// The files of a certificate and its key. Changed files are put into use if they are valid.
public final class CertificateFiles: Sendable {
    /// News about the files for an operator.
    public enum Notice: Sendable, Equatable {
        /// The files were read again. New connections use the certificate of `subject`, which expires at `expiry`, in
        /// seconds since 1970.
        case replaced(subject: String, expiry: Int)
        /// The files cannot be used; the previous certificate stays in use.
        case refused(Refusal)
        /// Users other than the owner can read or change the key file; `mode` is the file's permissions.
        case exposed(mode: Int)
        /// The certificate in use expires soon, at `expiry`, in seconds since 1970.
        case expiring(subject: String, expiry: Int)
        /// The certificate in use expired at `expiry`, in seconds since 1970.
        case expired(subject: String, expiry: Int)
    }

    /// The reason why the files cannot be used.
    public enum Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// A file cannot be read; `reason` is the system's message.
        case unreadable(path: String, reason: String)
        /// The files can be read, but the certificate or the key cannot be used.
        case unfit(CertificateFault)

        /// The fault and its remedy, without a full stop.
        public var description: String {
            switch self {
            case .unreadable(let path, let reason): "'\(path)' cannot be read: \(reason)"
            case .unfit(let fault): fault.description
            }
        }
    }

    private struct Content: Equatable {
        let certificate, key: SmallFile

        static func == (one: Content, other: Content) -> Bool {
            one.certificate.bytes == other.certificate.bytes && one.key.bytes == other.key.bytes
        }

        /// Whether both files were changed so long ago that they belong together.
        var isSettled: Bool { certificate.stamp.isSettled && key.stamp.isSettled }
    }

    private struct State {
        var content: Content
        /// The last reported refusal; nil if the files have been usable since then.
        var refusal: Refusal?
        /// The time of the next report of the expiry, in seconds since 1970.
        var reminder: Int
    }

    /// The certificate and key for handshakes.
    public let certificates: Certificates
    private let certificatePath, keyPath: String
    private let onNotice: @Sendable (Notice) -> Void
    /// Measures how long ago the files were changed.
    private let clock: FileStamp.Clock
    private let state: Guarded<State>

    private static let maximumBytes = 1 << 20
    private static let day = 86_400

    /// Reads the files for the first time.
    ///
    /// - Parameters:
    ///   - certificate: the path of the certificates in PEM form, the server's own first.
    ///   - key: the path of the private key of the server's certificate, in PEM form.
    ///   - now: the current time, in seconds since 1970.
    ///   - clock: measures how long ago the files were changed.
    ///   - onNotice: called with each notice, on the thread that checks the files.
    /// - Throws: `Refusal` if the files cannot be used.
    public init(
        certificate: String, key: String, at now: Int = CertificateDate.now,
        clock: @escaping FileStamp.Clock = FileStamp.systemClock, onNotice: @escaping @Sendable (Notice) -> Void
    ) throws(Refusal) {
        (certificatePath, keyPath) = (certificate, key)
        self.onNotice = onNotice
        self.clock = clock
        let content = try Self.read(certificate, key: key, clock: clock)
        let pair = try Self.pair(content, at: now)
        certificates = Certificates(pair)
        state = Guarded(State(content: content, refusal: nil, reminder: pair.renewal))
        if content.key.stamp.isExposed { onNotice(.exposed(mode: content.key.stamp.mode)) }
        check(at: now)
    }

    /// Puts the files into use if they have changed and are valid. Reports a certificate that expires soon or has
    /// expired.
    ///
    /// - Parameters:
    ///   - now: the current time, in seconds since 1970.
    ///   - isAsked: true to report a refusal immediately; false to report it only after both files have had time to
    ///     change.
    public func check(at now: Int = CertificateDate.now, isAsked: Bool = false) {
        let notices = state.withLock { state in
            refresh(&state, now: now, isAsked: isAsked) + reminders(&state, now: now)
        }
        notices.forEach(onNotice)
    }

    private func refresh(_ state: inout State, now: Int, isAsked: Bool) -> [Notice] {
        if state.refusal == nil, state.content.certificate.stamp.isCurrent, state.content.key.stamp.isCurrent {
            return []
        }
        var isSettled = true
        do throws(Refusal) {
            let content = try Self.read(certificatePath, key: keyPath, clock: clock)
            isSettled = content.isSettled
            let isSame = content == state.content
            let pair = isSame ? certificates.current : try Self.pair(content, at: now)
            let isExposed = content.key.stamp.isExposed && !(isSame && state.content.key.stamp.isExposed)
            (state.content, state.refusal) = (content, nil)
            if !isSame {
                certificates.current = pair
                state.reminder = pair.renewal
            }
            return (isSame ? [] : [.replaced(subject: pair.subject, expiry: pair.expiry)])
                + (isExposed ? [.exposed(mode: content.key.stamp.mode)] : [])
        } catch {
            guard isAsked || isSettled, state.refusal != error else { return [] }
            state.refusal = error
            return [.refused(error)]
        }
    }

    private func reminders(_ state: inout State, now: Int) -> [Notice] {
        guard now >= state.reminder else { return [] }
        let pair = certificates.current
        // The expiry is reported each day, and at the moment of expiry. If the clock is wrong, `now` may be near the
        // largest number.
        let (tomorrow, overflows) = now.addingReportingOverflow(Self.day)
        let next = overflows ? Int.max : tomorrow
        state.reminder = now < pair.expiry ? min(next, pair.expiry) : next
        return [
            now < pair.expiry
                ? .expiring(subject: pair.subject, expiry: pair.expiry)
                : .expired(subject: pair.subject, expiry: pair.expiry)
        ]
    }

    private static func read(
        _ certificate: String, key: String, clock: FileStamp.Clock
    ) throws(Refusal) -> Content {
        Content(certificate: try read(certificate, clock: clock), key: try read(key, clock: clock))
    }

    private static func read(_ path: String, clock: FileStamp.Clock) throws(Refusal) -> SmallFile {
        do {
            return try SmallFile(path: path, maximumBytes: maximumBytes, clock: clock)
        } catch {
            throw .unreadable(path: path, reason: error.description)
        }
    }

    private static func pair(_ content: Content, at now: Int) throws(Refusal) -> CertificatePair {
        do {
            return try CertificatePair(certificate: content.certificate.bytes, key: content.key.bytes, now: now)
        } catch {
            throw .unfit(error)
        }
    }
}

/// Checks the files of a certificate each second, on a thread of its own, and on request.
///
/// Two calls of `stat` a second cost almost nothing, and notice every kind of replacement on every file system.
public final class CertificateWatcher: Sendable {
    private let files: CertificateFiles
    private let thread: LoopThread

    private static let milliseconds: Int64 = 1_000

    /// Starts the thread.
    ///
    /// - Throws: `ServerError` if threads or descriptors are used up.
    public init(_ files: CertificateFiles) throws(ServerError) {
        self.files = files
        thread = try ServerError.wrapping { () throws(SystemCallError) in
            let bell = try Wakeup()
            return try LoopThread(name: "certificates", bell: bell) {
                files.check()
                bell.wait(milliseconds: Self.milliseconds)
            }
        }
    }

    /// Checks the files now, on the calling thread.
    public func check() { files.check(isAsked: true) }

    /// Ends the thread.
    public func stop() { thread.stop() }
}

/// The reason why a certificate and a key cannot be used.
public enum CertificateFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The certificate file lacks a usable certificate; `reason` is the library's message.
    case noCertificate(reason: String)
    /// A certificate of the chain is not followed by the certificate that signed it.
    case unsorted
    /// The key file lacks a usable key; `reason` is the library's message.
    case noKey(reason: String)
    /// The key is protected by a passphrase.
    case encryptedKey
    /// The key belongs to another certificate.
    case otherKey(subject: String)
    /// The certificate has expired; `at` is the moment in seconds since 1970.
    case expired(subject: String, at: Int)
    /// The certificate is not yet valid; `from` is the moment of its first validity, in seconds since 1970.
    case early(subject: String, from: Int)
    /// Memory for the certificate or the key is lacking.
    case noMemory

    /// The fault and its remedy, without a full stop.
    public var description: String {
        switch self {
        case .noCertificate(let reason):
            "the certificate file has no usable certificate (\(reason)); it must have the server's certificate in PEM form, then the certificates that signed it"
        case .unsorted:
            "the chain is not in order; begin with the server's certificate, and put after each the one that signed it"
        case .noKey(let reason):
            "the key file has no usable key (\(reason)); it must have the certificate's private key in PEM form"
        case .encryptedKey:
            "the key is protected by a passphrase, which nobody could enter; 'openssl pkey -in KEY -out PLAIN' stores it without one"
        case .otherKey(let subject):
            "the key does not belong to the certificate of \(subject); give the key with which the certificate was requested"
        case .expired(let subject, let moment):
            "the certificate of \(subject) expired at \(CertificateDate.text(moment)); renew it"
        case .early(let subject, let moment):
            "the certificate of \(subject) is valid only from \(CertificateDate.text(moment)); check this machine's clock"
        case .noMemory: "there is no memory for the certificate"
        }
    }
}

/// A moment of a certificate as text.
public enum CertificateDate {
    /// Now, in seconds since 1970.
    public static var now: Int { time(nil) }

    /// A moment in UTC, such as `2027-02-03 04:05 UTC`.
    ///
    /// - Parameter moment: in seconds since 1970.
    public static func text(_ moment: Int) -> String {
        let (seconds, overflows) = moment.subtractingReportingOverflow(Int(CivilDate.unixEpochOffset))
        guard !overflows, let text = Timestamp.text(Double(seconds)) else { return "\(moment)" }
        return text.prefix(16).replacing("T", with: " ") + " UTC"
    }
}
