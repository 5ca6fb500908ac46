/// A target as logs may show it: without what looks like a password or a token.
///
/// The service takes tokens in `Authorization` alone, but a client may put one into a URL all the same.
enum LoggedTarget {
    /// In place of a secret.
    private static let hidden = "***"
    private static let secretNames = ["token", "secret", "password", "authorization", "apikey", "api_key", "api-key"]

    /// The target without user information, and without the values of parameters whose names tell of a secret.
    static func text(of target: String) -> String {
        let target = withoutUser(target)
        guard let mark = target.firstIndex(of: "?") else { return target }
        let parameters = target[target.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        return target[...mark] + parameters.map(withoutSecret).joined(separator: "&")
    }

    private static func withoutUser(_ target: String) -> String {
        guard !target.hasPrefix("/") else { return target }
        let end = target.firstRange(of: "://").map { target[$0.upperBound...].firstIndex { "/?#".contains($0) } }
        guard let at = target[..<((end ?? nil) ?? target.endIndex)].lastIndex(of: "@") else { return target }
        return hidden + target[at...]
    }

    private static func withoutSecret(_ parameter: Substring) -> String {
        guard let sign = parameter.firstIndex(of: "=") else { return String(parameter) }
        let name = decoded(parameter[..<sign]).lowercased()
        return secretNames.contains(where: name.contains) ? parameter[...sign] + hidden : String(parameter)
    }

    /// The name with its percent-encoded characters decoded, as far as they are ASCII.
    private static func decoded(_ name: Substring) -> String {
        var rest = name
        var decoded = ""
        while let first = rest.popFirst() {
            if first == "%", let code = UInt8(rest.prefix(2), radix: 16) {
                rest = rest.dropFirst(2)
                decoded.unicodeScalars.append(Unicode.Scalar(code))
            } else {
                decoded.append(first)
            }
        }
        return decoded
    }
}
