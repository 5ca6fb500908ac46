/// How far the shared objects of a binary property list may expand: 206 bytes can stand for 2⁴⁰ values.
struct BinaryAllowance {
    /// Values of all types, counted each time they appear.
    let values: Int
    /// Bytes of texts, keys and data as they stand in the document, counted each time they appear.
    let textBytes: Int

    /// What a document of a size may expand to: a real one of many shared objects stays far below.
    init(documentBytes: Int, limits: PropertyListLimits) {
        values = min(limits.values, Self.product(16, documentBytes, plus: 100_000))
        textBytes = Self.product(64, documentBytes, plus: 64 << 20)
    }

    private static func product(_ factor: Int, _ bytes: Int, plus constant: Int) -> Int {
        let (product, hasOverflown) = bytes.multipliedReportingOverflow(by: factor)
        return hasOverflown || product > Int.max - constant ? Int.max : product + constant
    }
}
