/// A secret that allows edits, and the name of its holder.
struct AccessToken: Sendable, Equatable {
    /// The name that the log and `/changes` show; nil if the token has none.
    let name: String?
    /// Visible ASCII.
    let secret: [UInt8]

    /// The minimum length of a token, in bytes.
    static let shortest = 16

    /// Whether this is the token that a client presents.
    ///
    /// Every byte that the client sent is compared, wherever the first difference is, so the time depends on lengths
    /// alone, and tells nothing of how much of a guess is right.
    func matches(_ presented: Span<UInt8>) -> Bool {
        var difference = UInt64(truncatingIfNeeded: secret.count ^ presented.count)
        for index in 0..<presented.count { difference |= UInt64(presented[index] ^ secret[index % secret.count]) }
        return difference == 0
    }
}
