public import Bytes

/// One element of `Prefer`, read where it is (RFC 7240, section 2).
public struct Preference: ~Escapable {
    /// The name, in any case.
    public let name: Span<UInt8>
    /// The value without white space and quotes; empty without one. Parameters are ignored.
    public let value: Span<UInt8>

    @inlinable
    @_lifetime(copy element)
    init(_ element: Span<UInt8>) {
        let end = element.index(of: UInt8(ascii: ";"))
        let equals = min(element.index(of: UInt8(ascii: "=")), end)
        name = element.trimmed(from: 0, to: equals)
        let value = element.trimmed(from: min(equals + 1, end), to: end)
        let isQuoted =
            value.count > 1 && value[0] == UInt8(ascii: "\"") && value[value.count - 1] == UInt8(ascii: "\"")
        self.value = isQuoted ? value.extracting(1..<value.count - 1) : value
    }
}

extension Span<UInt8> {
    /// Passes each preference of a line of `Prefer`, in order; one that appears twice too.
    ///
    /// - Parameter visit: returns false to stop.
    @inlinable
    public func forEachPreference(_ visit: (Preference) -> Bool) {
        forEachElement(dividedBy: UInt8(ascii: ",")) { visit(Preference($0)) }
    }
}
