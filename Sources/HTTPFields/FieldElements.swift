public import Bytes

/// One element of `Accept` (RFC 9110, section 12.5.1), read where it is.
public struct MediaRange: ~Escapable {
    /// The types that it stands for, without parameters: `application/json`, `text/*`, `*/*`, in any case.
    public let name: Span<UInt8>
    @usableFromInline let element: Span<UInt8>
    /// The index of the first semicolon in the element; the count without one.
    @usableFromInline let end: Int

    /// Takes an element of the list apart; nil for one without a name.
    @inlinable
    @_lifetime(copy element)
    init?(_ element: Span<UInt8>) {
        guard !element.isEmpty, element[0] != UInt8(ascii: ";") else { return nil }
        end = element.index(of: UInt8(ascii: ";"))
        name = element.trimmed(from: 0, to: end)
        self.element = element
    }

    /// How much it is preferred, in thousandths, by its first parameter `q`; 1,000 without one, or if that is malformed.
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
    /// Passes each media range of a line of `Accept`, in order; elements without a name are skipped.
    @inlinable
    public func forEachMediaRange(_ visit: (MediaRange) -> Void) {
        forEachElement(dividedBy: UInt8(ascii: ",")) { element in
            if let range = MediaRange(element) { visit(range) }
            return true
        }
    }
}

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
