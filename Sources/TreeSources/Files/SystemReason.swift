internal import Glibc

/// What the system says about a failed call.
enum SystemReason {
    /// The text of an error number, as `Permission denied`.
    static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
