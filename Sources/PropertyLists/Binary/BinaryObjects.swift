import Bytes

/// The objects of a binary property list, read in any order by their numbers.
package struct BinaryObjects: ~Copyable {
    var decoder: BinaryDecoder

    /// - Throws: `PropertyListError` if the header and the trailer do not match the document.
    package init(_ input: DocumentInput) throws(PropertyListError) {
        decoder = try BinaryDecoder(input, limits: PropertyListLimits())
    }

    /// The object that is the document.
    package var root: Int { decoder.layout.root }

    /// A writer of objects that are added to these.
    ///
    /// - Throws: `PropertyListError` unless the objects follow each other in the order of their numbers.
    /// - Complexity: O(file); each page is read once.
    package mutating func additions() throws(PropertyListError) -> BinaryPropertyListWriter {
        let counts = try decoder.referenceCounts()
        return BinaryPropertyListWriter(addingTo: decoder.layout, counts)
    }

    /// An entry of a dictionary: its name in UTF-8, and the objects of its key and its value.
    package struct Entry {
        package let name: [UInt8]
        package let key, value: Int
    }

    /// The entries of a dictionary, in document order.
    ///
    /// - Throws: `PropertyListError` if the object is none.
    package mutating func entries(of object: Int) throws(PropertyListError) -> [Entry] {
        guard let container = try decoder.container(object), container.isDictionary else { throw .notWhatWasRead }
        let width = decoder.layout.referenceWidth
        var entries: [Entry] = []
        for number in 0..<container.left {
            let key = try decoder.reference(at: container.key + number * width)
            let value = try decoder.reference(at: container.value + number * width)
            entries.append(Entry(name: try name(of: key), key: key, value: value))
        }
        return entries
    }

    private mutating func name(of key: Int) throws(PropertyListError) -> [UInt8] {
        try decoder.locate(key)
        guard case .string = try decoder.read(key) else { throw .notWhatWasRead }
        return Array(copying: decoder.text)
    }

    /// The elements of an array.
    package struct Elements {
        package let count: Int
        /// Where the first one's reference is.
        fileprivate let start: Int
    }

    /// The elements of an array.
    ///
    /// - Throws: `PropertyListError` if the object is none.
    package mutating func elements(of object: Int) throws(PropertyListError) -> Elements {
        guard let container = try decoder.container(object), !container.isDictionary else { throw .notWhatWasRead }
        return Elements(count: container.left, start: container.value)
    }

    /// The object of an element; O(1).
    ///
    /// - Parameter number: below the count of the elements.
    package mutating func element(_ number: Int, of elements: Elements) throws(PropertyListError) -> Int {
        try decoder.reference(at: elements.start + number * decoder.layout.referenceWidth)
    }
}
