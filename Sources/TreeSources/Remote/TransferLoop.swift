internal import CCurl
internal import Threads

/// curl's side of a loop (`libcurl-multi(3)`): it advances a transfer whenever there is something to do, and keeps
/// connections open from one transfer to the next.
@safe
struct TransferLoop: ~Copyable {
    private let loop: UnsafeMutableRawPointer
    private let sockets = TransferSockets()

    /// Once per process, before anything else (`curl_global_init(3)`).
    private static let isPrepared = shim_curl_prepare() == CURLE_OK

    /// - Returns: nil if curl has no memory for it.
    init?() {
        guard Self.isPrepared, let loop = unsafe curl_multi_init() else { return nil }
        unsafe self.loop = loop
        _ = unsafe shim_curl_set_socket_watch(
            loop, watchSocket, Unmanaged.passUnretained(sockets).toOpaque())
    }

    /// All transfers must have been removed.
    deinit { unsafe curl_multi_cleanup(loop) }

    func add(_ transfer: borrowing Transfer) { unsafe curl_multi_add_handle(loop, transfer.handle) }

    func remove(_ transfer: borrowing Transfer) { unsafe curl_multi_remove_handle(loop, transfer.handle) }

    /// Adds the sockets that curl waits for, and when it must act at the latest.
    func addWaits(to waits: inout WaitSet) {
        for (socket, events) in sockets.events { waits.add(socket, for: events) }
        var milliseconds = -1
        // Asked anew before each wait: a time that curl gave once (`CURLMOPT_TIMERFUNCTION(3)`) would be lost if it
        // came a little early by curl's own clock.
        _ = unsafe curl_multi_timeout(loop, &milliseconds)
        if milliseconds >= 0 { waits.wake(by: .now + .milliseconds(milliseconds)) }
    }

    /// Does all work that is possible without waiting.
    ///
    /// - Returns: how the transfer ended; nil while it is running.
    func advance() -> CURLcode? {
        var running: Int32 = 0
        var rest: Int32 = 0
        // Without flags curl looks by itself what a socket is ready for.
        for socket in Array(sockets.events.keys) {
            _ = unsafe curl_multi_socket_action(loop, socket, 0, &running)
        }
        _ = unsafe curl_multi_socket_action(loop, CURL_SOCKET_TIMEOUT, 0, &running)
        guard let message = unsafe curl_multi_info_read(loop, &rest) else { return nil }
        return unsafe message.pointee.msg == CURLMSG_DONE ? unsafe message.pointee.data.result : nil
    }
}
