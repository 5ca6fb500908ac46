internal import Files
internal import TreeSources

/// The file named by `--database-password-file`. The first line of the file is the password.
enum PasswordFile {
    /// Returns the password.
    ///
    /// - Throws: `SourceError` if the file cannot be read, or if its first line is empty.
    static func read(_ path: String) throws(SourceError) -> String {
        let bytes: [UInt8]
        do throws(SmallFile.Unreadable) {
            bytes = try SmallFile(path: path, maximumBytes: 4_096).bytes
        } catch {
            throw SourceError(path, reason: "the file of the password cannot be read: \(error)")
        }
        let password = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard !password.isEmpty else { throw SourceError(path, reason: "it is empty; its first line is the password") }
        return password
    }
}
