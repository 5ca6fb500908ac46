extension BinaryDecoder {
    /// A dictionary or an array that is being read: which object it is and what it holds next.
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
        /// Whether a key has been told and its value not.
        var awaitsValue = false

        /// What stands for the outside of the root, which is its one element.
        static let outside = Container(object: -1, offset: 0, isDictionary: false, left: 0, value: 0, key: 0)
    }
}
