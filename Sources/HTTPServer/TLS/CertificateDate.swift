import Glibc

/// A moment of a certificate as text.
public enum CertificateDate {
    /// Now, in seconds since 1970.
    public static var now: Int { time(nil) }

    /// A moment in UTC, as `2027-02-03 04:05 UTC`.
    ///
    /// - Parameter moment: in seconds since 1970.
    public static func text(_ moment: Int) -> String {
        var time = time_t(moment)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&time, &parts) != nil else { return "\(moment)" }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { text in
            guard let start = text.baseAddress,
                unsafe strftime(start, text.count, "%Y-%m-%d %H:%M UTC", &parts) > 0
            else { return "\(moment)" }
            return unsafe String(cString: start)
        }
    }
}
