/// Checks that a writer has received exactly one complete value.
@usableFromInline
struct Completeness {
    @usableFromInline var roots = 0
    @usableFromInline var depth = 0

    @inlinable
    init() {}

    /// Counts a value, a container at its beginning.
    @inlinable @inline(__always)
    mutating func value() { if depth == 0 { roots &+= 1 } }

    @inlinable @inline(__always)
    mutating func begin() { depth &+= 1 }

    @inlinable @inline(__always)
    mutating func end() { depth &-= 1 }

    /// - Throws: `PropertyListError` if there is no value, several values, or an unfinished one.
    @usableFromInline
    func check() throws(PropertyListError) {
        guard depth == 0 else {
            throw PropertyListError("the property list cannot end here: \(depth) of its containers are still open")
        }
        guard roots == 1 else {
            throw PropertyListError("a property list is one value, but \(roots) were written")
        }
    }
}
