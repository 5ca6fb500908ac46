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

    /// How many objects may be unused: a document with more is better written anew.
    var mostUnused: Int { max(1_024, decoder.layout.objectCount / 4) }

    /// A writer of objects that are added to these.
    ///
    /// - Throws: `PropertyListError` unless the objects follow each other in the order of their numbers, no container
    ///   is in the document more than once, and most objects are used.
    /// - Complexity: O(file); each page is read once. Four bytes of memory for each object.
    package mutating func additions() throws(PropertyListError) -> BinaryPropertyListWriter {
        var counts = try decoder.referenceCounts()
        // What such a document expands to is limited by its size, so it must not become smaller and stay as it is.
        if counts.hasSharedContainer { throw PropertyListError("one container is in the document more than once") }
        let unused = try decoder.released(counts.unused, most: mostUnused, from: &counts)
        return BinaryPropertyListWriter(addingTo: decoder.layout, unused: unused, counts)
    }

    /// An entry of a dictionary: its name in UTF-8, and the objects of its key and its value.
    package struct Entry {
        package let name: [UInt8]
        package let key, value: Int
    }

    /// Reads the entries of a dictionary, in document order; of several with one name the last one, as readers do.
    ///
    /// - Throws: `PropertyListError` if the object is not a dictionary.
    package mutating func lastEntries(of object: Int) throws(PropertyListError) -> [Entry] {
        let container = try dictionary(object)
        let entries = try (0..<container.left).map { number throws(PropertyListError) in
            try entry(number, of: container)
        }
        let last = Dictionary(entries.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
        return entries.indices.filter { last[entries[$0].name] == $0 }.map { entries[$0] }
    }

    /// Reads the value of a key in a dictionary.
    ///
    /// - Throws: `PropertyListError` if the object is not a dictionary, or has no such key.
    package mutating func value(named name: [UInt8], of object: Int) throws(PropertyListError) -> Int {
        let container = try dictionary(object)
        for number in (0..<container.left).reversed() {
            let entry = try entry(number, of: container)
            if entry.name == name { return entry.value }
        }
        throw .notWhatWasRead
    }

    private mutating func dictionary(_ object: Int) throws(PropertyListError) -> BinaryDecoder.Container {
        guard let container = try decoder.container(object), container.isDictionary else { throw .notWhatWasRead }
        return container
    }

    private mutating func entry(
        _ number: Int, of dictionary: BinaryDecoder.Container
    ) throws(PropertyListError) -> Entry {
        let width = decoder.layout.referenceWidth
        let key = try decoder.reference(at: dictionary.key + number * width)
        let value = try decoder.reference(at: dictionary.value + number * width)
        return Entry(name: try name(of: key), key: key, value: value)
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

    /// Finds the elements of an array; O(1).
    ///
    /// - Throws: `PropertyListError` if the object is not an array.
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
