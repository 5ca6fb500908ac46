internal import CCurl
internal import Glibc
internal import Threads

/// curl's loop (`libcurl-multi(3)`): it drives a transfer on the thread that waits in it, and keeps connections open
/// from one transfer to the next.
@safe
struct TransferLoop: ~Copyable {
    private let loop: UnsafeMutableRawPointer

    /// Once per process, before anything else (`curl_global_init(3)`).
    private static let isPrepared = shim_curl_prepare() == CURLE_OK

    /// - Returns: nil if curl has no memory for it.
    init?() {
        guard Self.isPrepared, let loop = unsafe curl_multi_init() else { return nil }
        unsafe self.loop = loop
    }

    /// All transfers must have been removed.
    deinit { unsafe curl_multi_cleanup(loop) }

    func add(_ transfer: borrowing Transfer) { unsafe curl_multi_add_handle(loop, transfer.handle) }

    func remove(_ transfer: borrowing Transfer) { unsafe curl_multi_remove_handle(loop, transfer.handle) }

    /// Does all work that is possible without waiting.
    ///
    /// - Returns: how the transfer ended; nil while it is running.
    func advance() -> CURLcode? {
        var running: Int32 = 0
        var rest: Int32 = 0
        _ = unsafe curl_multi_perform(loop, &running)
        guard let message = unsafe curl_multi_info_read(loop, &rest) else { return nil }
        return unsafe message.pointee.msg == CURLMSG_DONE ? unsafe message.pointee.data.result : nil
    }

    /// Waits for work, for a wake-up, or for some time; returns earlier if curl needs to act.
    func wait(for wakeup: Wakeup?, atMost time: Duration) {
        var entries = [
            curl_waitfd(fd: wakeup?.descriptor ?? -1, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        ]
        _ = unsafe curl_multi_poll(loop, &entries, wakeup == nil ? 0 : 1, time.pollTimeout, nil)
    }
}
