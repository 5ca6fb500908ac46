/// The limits on how far the shared objects of a binary property list may expand: 206 bytes can encode 2⁴⁰ values.
struct BinaryAllowance {
    /// Values of all types, counted each time they appear.
    let values: Int
    /// Bytes of texts, keys and data as stored in the document, counted each time they appear.
    let textBytes: Int

    /// The allowance for a document of this size; a real document with many shared objects stays far below it.
    init(documentBytes: Int, limits: PropertyListLimits) {
        values = min(limits.values, Self.product(16, documentBytes, plus: 100_000))
        textBytes = Self.product(64, documentBytes, plus: 64 << 20)
    }

    private static func product(_ factor: Int, _ bytes: Int, plus constant: Int) -> Int {
        let (product, hasOverflown) = bytes.multipliedReportingOverflow(by: factor)
        return hasOverflown || product > Int.max - constant ? Int.max : product + constant
    }
}
