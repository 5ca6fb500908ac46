internal import Glibc

/// The memory of the process as the system counts it (proc(5), statm), in bytes.
struct ProcessSize {
    /// All addresses in use, with or without memory behind them.
    var addresses = 0
    var resident = 0

    /// Kept open, because it is read again and again, also when there is no descriptor left.
    private static let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    private static let pageBytes = sysconf(Int32(_SC_PAGESIZE))

    /// The size now; zeros if the system does not tell it.
    static var now: ProcessSize {
        var text = InlineArray<64, UInt8>(repeating: 0)
        var span = text.mutableSpan
        let count = unsafe span.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
        return ProcessSize(pages: text.span.extracting(0..<max(count, 0)))
    }

    /// Reads the first two of the numbers of pages, which a space follows each.
    init(pages text: Span<UInt8>) {
        var (field, number) = (0, 0)
        for index in text.indices where field < 2 {
            let byte = text[index]
            if byte >= 0x30, byte <= 0x39 {
                number = number &* 10 &+ Int(byte - 0x30)
            } else {
                if field == 0 { addresses = number &* Self.pageBytes } else { resident = number &* Self.pageBytes }
                (field, number) = (field + 1, 0)
            }
        }
    }

    init(addresses: Int, resident: Int) { (self.addresses, self.resident) = (addresses, resident) }
}
