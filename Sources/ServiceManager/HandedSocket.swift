import Glibc

/// A socket that the service manager opened for this process.
public struct HandedSocket: Sendable, Equatable {
    /// The descriptor, which this process now owns.
    public let descriptor: Int32
    /// The name in `FileDescriptorName=` of the .socket file; `unknown` without one.
    public let name: String

    /// The descriptor of the first one (sd_listen_fds(3), SD_LISTEN_FDS_START).
    private static let firstDescriptor: Int32 = 3

    static func all(
        _ environment: [String: String], _ process: pid_t
    ) throws(ServiceManagerError) -> [HandedSocket] {
        guard environment["LISTEN_PID"] == "\(process)", let text = environment["LISTEN_FDS"] else { return [] }
        guard let count = Int32(text), (0...1024).contains(count) else {
            throw .malformed(variable: "LISTEN_FDS", value: text, wanted: "a number of sockets")
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { index in
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            return HandedSocket(descriptor: firstDescriptor + index, name: name.isEmpty ? "unknown" : name)
        }
    }
}
