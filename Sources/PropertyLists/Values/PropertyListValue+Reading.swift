/// Values from the bytes of a request.
extension PropertyListValue {
    /// Reads JSON (RFC 8259), in which there may be `null`.
    ///
    /// - Parameter limit: the array whose elements are counted as they are read.
    /// - Throws: `PropertyListError` with line and column.
    public init(
        json bytes: [UInt8], limits: PropertyListLimits = .init(), elements limit: PropertyListElementLimit? = nil
    ) throws(PropertyListError) {
        var builder = PropertyListValueBuilder(limit: limit)
        try JSONPropertyListReader.read(.memory(bytes), limits: limits, into: &builder)
        self = try Self.complete(builder)
    }

    /// Reads an XML or a binary property list; the content tells which.
    ///
    /// - Parameter limit: the array whose elements are counted as they are read.
    /// - Throws: `PropertyListError` with line and column, or with the offset in a binary one.
    public init(
        propertyList bytes: [UInt8], limits: PropertyListLimits = .init(),
        elements limit: PropertyListElementLimit? = nil
    ) throws(PropertyListError) {
        var builder = PropertyListValueBuilder(limit: limit)
        if bytes.starts(with: "bplist".utf8) {
            try BinaryPropertyListReader.read(.memory(bytes), limits: limits, into: &builder)
        } else {
            try XMLPropertyListReader.read(.memory(bytes), limits: limits, into: &builder)
        }
        self = try Self.complete(builder)
    }

    private static func complete(_ builder: PropertyListValueBuilder) throws(PropertyListError) -> PropertyListValue {
        guard let value = builder.value else {
            throw PropertyListError("the document is empty; it needs one value")
        }
        return value
    }
}
