internal import Glibc

/// A call of the system that failed: for want of threads, descriptors or memory.
public struct SystemCallError: Error, Equatable, Sendable {
    /// The name of the function, as `pthread_create`.
    public let call: String
    /// Its error number, as `EAGAIN`.
    public let code: Int32

    init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }
}

extension SystemCallError: CustomStringConvertible {
    /// `eventfd failed: Too many open files`, without a final full stop.
    public var description: String { unsafe "\(call) failed: \(String(cString: strerror(code)))" }
}
