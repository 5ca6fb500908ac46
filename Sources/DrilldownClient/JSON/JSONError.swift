/// Why bytes could not be read: they are not JSON, or not the JSON that was expected.
struct JSONError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, as the end of a sentence.
    var reason: String
    /// Where, in bytes from the beginning.
    var offset: Int

    init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    var description: String { "\(reason) (at byte \(offset))" }
}
