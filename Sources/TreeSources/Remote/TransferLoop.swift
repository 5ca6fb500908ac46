internal import CCurl
internal import Threads

/// A loop of curl (`libcurl-multi(3)`). It advances a transfer when a socket or a timer is due, and keeps connections
/// open between transfers.
@safe
struct TransferLoop: ~Copyable {
    private let loop: UnsafeMutableRawPointer
    private let sockets = TransferSockets()

    /// Whether curl could be initialized. This is done once per process, before any other call of curl
    /// (`curl_global_init(3)`).
    private static let isPrepared = shim_curl_prepare() == CURLE_OK

    /// Creates a loop. Returns nil if curl cannot be initialized, or cannot get memory for the loop.
    init?() {
        guard Self.isPrepared, let loop = unsafe curl_multi_init() else { return nil }
        unsafe self.loop = loop
        _ = unsafe shim_curl_set_socket_watch(
            loop, watchSocket, Unmanaged.passUnretained(sockets).toOpaque())
    }

    /// All transfers must have been removed before.
    deinit { unsafe curl_multi_cleanup(loop) }

    func add(_ transfer: borrowing Transfer) { unsafe curl_multi_add_handle(loop, transfer.handle) }

    func remove(_ transfer: borrowing Transfer) { unsafe curl_multi_remove_handle(loop, transfer.handle) }

    /// Adds the sockets that curl waits for, and its next deadline.
    func addWaits(to waits: inout WaitSet) {
        for (socket, events) in sockets.events { waits.add(socket, for: events) }
        var milliseconds = -1
        // The time is asked for again before each wait. `CURLMOPT_TIMERFUNCTION(3)` would report it only once, so it
        // would be lost if the wait ended too early by curl's own clock.
        _ = unsafe curl_multi_timeout(loop, &milliseconds)
        if milliseconds >= 0 { waits.wake(by: .now + .milliseconds(milliseconds)) }
    }

    /// Continues the transfer without waiting.
    ///
    /// - Returns: the result of the transfer if it has ended; otherwise nil.
    func advance() -> CURLcode? {
        var running: Int32 = 0
        var rest: Int32 = 0
        // Without flags, curl itself checks the state of the socket.
        for socket in Array(sockets.events.keys) {
            _ = unsafe curl_multi_socket_action(loop, socket, 0, &running)
        }
        _ = unsafe curl_multi_socket_action(loop, CURL_SOCKET_TIMEOUT, 0, &running)
        guard let message = unsafe curl_multi_info_read(loop, &rest) else { return nil }
        return unsafe message.pointee.msg == CURLMSG_DONE ? unsafe message.pointee.data.result : nil
    }
}

/// The sockets of curl's connections and name look-ups, with the events that curl waits for.
final class TransferSockets {
    private(set) var events: [curl_socket_t: WaitSet.Events] = [:]

    /// Records which events curl waits for from now on.
    ///
    /// - Parameter action: `CURL_POLL_IN`, `CURL_POLL_OUT` or `CURL_POLL_INOUT`; any other value ends the wait
    ///   (`CURLMOPT_SOCKETFUNCTION(3)`).
    func watch(_ socket: curl_socket_t, for action: Int32) {
        events[socket] =
            switch action {
            case CURL_POLL_IN: .reading
            case CURL_POLL_OUT: .writing
            case CURL_POLL_INOUT: [.reading, .writing]
            default: nil
            }
    }
}

/// The C side of `Reception.takeHeader` (`CURLOPT_HEADERFUNCTION(3)`).
///
/// Any result other than the number of bytes ends the transfer.
func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let reception = unsafe Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
    let isTaken = unsafe reception.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
    return isTaken ? size * count : 0
}

/// The C side of `Reception.takeBody` (`CURLOPT_WRITEFUNCTION(3)`).
///
/// Any result other than the number of bytes ends the transfer.
func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let reception = unsafe Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
    let isTaken = unsafe reception.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    return isTaken ? size * count : 0
}

/// The C side of `Reception.checkServer` (`CURLOPT_PREREQFUNCTION(3)`).
func checkServer(
    _ context: UnsafeMutableRawPointer?, _ address: UnsafeMutablePointer<CChar>?, _: UnsafeMutablePointer<CChar>?,
    _: Int32, _: Int32
) -> Int32 {
    guard let context = unsafe context, let address = unsafe address else { return CURL_PREREQFUNC_ABORT }
    let reception = unsafe Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
    let isAllowed = reception.checkServer(at: unsafe String(cString: address))
    return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// The C side of `TransferSockets.watch` (`CURLMOPT_SOCKETFUNCTION(3)`).
func watchSocket(
    _ transfer: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ action: Int32,
    _ context: UnsafeMutableRawPointer?, _ own: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<TransferSockets>.fromOpaque(context).takeUnretainedValue().watch(socket, for: action)
    return 0
}
