/// Why bytes could not be read: they are not JSON, or not the JSON that was expected.
struct JSONError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, as the end of a sentence.
    var reason: String
    /// Where, in bytes from the beginning.
    var offset: Int
    /// Whether it is JSON, but has more containers within each other than the reader allows.
    private(set) var isTooDeep = false

    init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    static func tooDeep(at offset: Int) -> JSONError {
        var error = JSONError("it nests deeper than \(JSONReader.deepest) containers", at: offset)
        error.isTooDeep = true
        return error
    }

    var description: String { "\(reason) (at byte \(offset))" }
}
