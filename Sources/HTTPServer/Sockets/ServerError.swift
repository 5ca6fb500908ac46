import Threads

/// The reason why a server could not be started.
public enum ServerError: Error, CustomStringConvertible, Sendable {
    /// The host name does not have an address.
    case unknownHost(String, reason: String)
    /// Another socket listens on the port.
    case portInUse(host: String, port: UInt16)
    /// Only the administrator may listen on the port.
    case portForbidden(host: String, port: UInt16)
    /// No interface of this machine has the address.
    case foreignAddress(host: String)
    /// Another program listens on the Unix domain socket.
    case socketInUse(path: String)
    /// A socket cannot be created, or an inherited socket cannot be used for listening. The value is the reason, as a
    /// sentence.
    case unusableSocket(String)
    /// The process may open too few descriptors to serve.
    case tooFewDescriptors(limit: Int, needed: Int)
    /// Any other failure of a system call.
    case system(call: String, reason: String)

    /// A sentence without a full stop; the caller adds how to change the address.
    public var description: String {
        switch self {
        case .unknownHost(let host, let reason):
            "the host \(host) cannot be resolved: \(reason)"
        case .portInUse(let host, let port):
            "port \(port) on \(host) is in use by another program"
        case .portForbidden(let host, let port):
            "port \(port) on \(host) needs the administrator's rights"
        case .foreignAddress(let host):
            "\(host) is not an address of this machine"
        case .socketInUse(let path):
            "the socket '\(path)' is in use by another program"
        case .unusableSocket(let reason): reason
        case .tooFewDescriptors(let limit, let needed):
            "this process may open \(limit) files and sockets at the same time, and serving needs \(needed) or more; raise the limit, for instance with 'ulimit -n 1024'"
        case .system(let call, let reason):
            "\(call) failed: \(reason)"
        }
    }

    static func system(_ call: String, errno code: Int32) -> ServerError {
        .system(call: call, reason: SystemCallError.reason(code))
    }

    /// Runs `body`. If a system call fails in it, throws that failure as an error of this type.
    static func wrapping<Output>(_ body: () throws(SystemCallError) -> Output) throws(ServerError) -> Output {
        do { return try body() } catch { throw .system(error.call, errno: error.code) }
    }
}
