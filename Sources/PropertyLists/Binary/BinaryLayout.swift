/// The positions of the parts of a binary property list, read from its last 32 bytes and checked.
///
/// Source: `CFBinaryPlistTrailer` in CoreFoundation's `ForFoundationOnly.h`.
struct BinaryLayout {
    static let header: StaticString = "bplist00"
    static let headerBytes = 8
    static let trailerBytes = 32

    /// Bytes of one entry of the offset table, 1 … 8.
    let offsetWidth: Int
    /// Bytes of one reference in a container, 1 … 8.
    let referenceWidth: Int
    /// How many objects there are, at least 1.
    let objectCount: Int
    /// The object that is the document.
    let root: Int
    /// The range of the objects: between the header and the offset table.
    let objects: Range<Int>
    /// Where the offset table begins.
    let table: Range<Int>

    /// Reads the header and the trailer.
    ///
    /// - Throws: `PropertyListError` if they do not match the size of the document or each other.
    init(_ input: DocumentInput) throws(PropertyListError) {
        let size = input.size
        let least = Self.headerBytes + 2 + Self.trailerBytes
        guard size >= least else {
            let reason = "the document has \(size) bytes, but a binary property list has at least \(least)"
            throw PropertyListError(reason, at: .byte(offset: size))
        }
        var pages = DocumentPages(input, range: 0..<size)
        guard try pages.word(at: 0) == 0x6270_6c69_7374_3030 else {
            let reason = "the document does not begin with bplist00; other versions of the format are not supported"
            throw PropertyListError(reason, at: .byte(offset: 0))
        }
        let trailer = size - Self.trailerBytes
        func refusal(_ reason: String) -> PropertyListError {
            PropertyListError("the trailer \(reason); the document may have been truncated", at: .byte(offset: trailer))
        }
        offsetWidth = Int(try pages.integer(at: trailer + 6, width: 1))
        referenceWidth = Int(try pages.integer(at: trailer + 7, width: 1))
        let count = try pages.word(at: trailer + 8)
        let root = try pages.word(at: trailer + 16)
        let start = try pages.word(at: trailer + 24)

        for (width, name) in [(offsetWidth, "an offset"), (referenceWidth, "a reference")]
        where !(1...8).contains(width) {
            throw refusal("gives \(name) \(width) bytes, but it must be 1 to 8")
        }
        guard root < count else {
            throw refusal("names object \(root) as the root, but the document has \(count) objects")
        }
        guard start > Self.headerBytes, start < trailer, count <= (trailer - Int(start)) / offsetWidth else {
            throw refusal("puts the offset table of \(count) objects at byte \(start), where it does not fit")
        }
        objectCount = Int(count)
        self.root = Int(root)
        objects = Self.headerBytes..<Int(start)
        table = Int(start)..<Int(start) + objectCount * offsetWidth
    }
}
