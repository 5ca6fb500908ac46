internal import CCurl
internal import Threads

/// The sockets that curl waits for on behalf of a transfer, its connections and its name look-up.
final class TransferSockets {
    private(set) var events: [curl_socket_t: WaitSet.Events] = [:]

    /// Notes what curl waits for from now on.
    ///
    /// - Parameter action: `CURL_POLL_IN`, `CURL_POLL_OUT`, both, or none (`CURLMOPT_SOCKETFUNCTION(3)`).
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
