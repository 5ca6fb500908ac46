internal import Glibc

/// An error number of the system (`errno(3)`).
public struct ErrorNumber: Error, Equatable, Sendable {
    public let code: Int32

    public init(_ code: Int32) { self.code = code }
}

extension ErrorNumber: CustomStringConvertible {
    /// The system's words (`strerror(3)`), such as `Permission denied`.
    public var description: String { unsafe String(cString: strerror(code)) }
}
