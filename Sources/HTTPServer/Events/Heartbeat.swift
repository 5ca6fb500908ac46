/// Bytes sent at intervals while a stream has nothing else to send, so that proxies and clients keep the connection.
public struct Heartbeat: Sendable {
    let bytes: [UInt8]
    let milliseconds: Int64

    /// - Parameters:
    ///   - bytes: at most 64; by default a comment of an event stream.
    ///   - period: the time between two heartbeats; the first follows after half of it or later.
    public init(_ bytes: [UInt8] = Array(": \n\n".utf8), every period: Duration = .seconds(15)) {
        precondition(bytes.count <= 64, "a heartbeat of \(bytes.count) bytes; at most 64 fit into every buffer")
        self.bytes = bytes
        milliseconds = max(period.milliseconds, 1)
    }
}
