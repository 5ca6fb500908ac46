public import Bytes

/// One element of `Accept` (RFC 9110, section 12.5.1), read in place.
public struct MediaRange: ~Escapable {
    /// The range without parameters: `application/json`, `text/*` or `*/*`, in upper or lower case as sent.
    public let name: Span<UInt8>
    @usableFromInline let element: Span<UInt8>
    /// The index of the first semicolon in the element, or the count if the element lacks a semicolon.
    @usableFromInline let end: Int

    /// Parses an element of the list; nil if the element lacks a name.
    @inlinable
    @_lifetime(copy element)
    init?(_ element: Span<UInt8>) {
        guard !element.isEmpty, element[0] != UInt8(ascii: ";") else { return nil }
        end = element.index(of: UInt8(ascii: ";"))
        name = element.trimmed(from: 0, to: end)
        self.element = element
    }

    /// The weight in thousandths, from the first parameter `q`; 1,000 if the parameter is missing or malformed.
    @inlinable
    public var quality: Int {
        guard end < element.count else { return QualityValue.most }
        var quality = QualityValue.most
        element.extracting(end + 1..<element.count).forEachElement(dividedBy: UInt8(ascii: ";")) { parameter in
            guard QualityValue.isNamed(at: 0, of: parameter) else { return true }
            if let value = QualityValue.read(parameter, from: 2), value.end == parameter.count {
                quality = value.thousandths
            }
            return false
        }
        return quality
    }
}

extension Span<UInt8> {
    /// Calls `visit` with each media range of a line of `Accept`, in order. Elements without a name are skipped.
    @inlinable
    public func forEachMediaRange(_ visit: (MediaRange) -> Void) {
        forEachElement(dividedBy: UInt8(ascii: ",")) { element in
            if let range = MediaRange(element) { visit(range) }
            return true
        }
    }
}

/// One element of `Prefer` (RFC 7240, section 2), read in place.
public struct Preference: ~Escapable {
    /// The name, in upper or lower case as sent.
    public let name: Span<UInt8>
    /// The value without white space and quotes; empty if the value is missing. Parameters are ignored.
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
    /// Calls `visit` with each preference of a line of `Prefer`, in order.
    ///
    /// Repeated preferences and empty elements are included. An empty element has an empty name.
    ///
    /// - Parameter visit: returns false to stop.
    @inlinable
    public func forEachPreference(_ visit: (Preference) -> Bool) {
        forEachElement(dividedBy: UInt8(ascii: ",")) { visit(Preference($0)) }
    }
}
