import Glibc

/// Why a server could not be started.
public enum ServerError: Error, CustomStringConvertible, Sendable {
    /// The host name has no address.
    case unknownHost(String, reason: String)
    /// Another socket listens there.
    case portInUse(host: String, port: UInt16)
    /// The system keeps this port for the administrator.
    case portForbidden(host: String, port: UInt16)
    /// No interface of this machine has the address.
    case foreignAddress(host: String)
    /// Any other failure of a system call.
    case system(call: String, reason: String)

    public var description: String {
        switch self {
        case .unknownHost(let host, let reason):
            "the host \(host) cannot be resolved: \(reason)"
        case .portInUse(let host, let port):
            "port \(port) on \(host) is in use by another program; choose another with --listen \(bracketed(host)):0"
        case .portForbidden(let host, let port):
            "port \(port) on \(host) needs the administrator's rights; choose one from 1024 up with --listen \(bracketed(host)):0"
        case .foreignAddress(let host):
            "\(host) is not an address of this machine; choose another with --listen 127.0.0.1:0"
        case .system(let call, let reason):
            "\(call) failed: \(reason)"
        }
    }

    private func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    static func system(_ call: String, errno code: Int32) -> ServerError {
        .system(call: call, reason: unsafe String(cString: strerror(code)))
    }
}
