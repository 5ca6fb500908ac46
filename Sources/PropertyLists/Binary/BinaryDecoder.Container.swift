extension BinaryDecoder {
    /// A dictionary or an array that is being read: its object number and what comes next in it.
    struct Container {
        var object: Int
        /// Where it begins in the document.
        var offset: Int
        var isDictionary: Bool
        /// How many entries or elements are left.
        var left: Int
        /// Byte offset of the next value's reference.
        var value: Int
        /// Byte offset of the next key's reference; without meaning in an array.
        var key: Int
        /// Whether a key has been sent but not its value.
        var awaitsValue = false

        /// A placeholder outside the root; the root is its one element.
        static let outside = Container(object: -1, offset: 0, isDictionary: false, left: 0, value: 0, key: 0)
    }
}
