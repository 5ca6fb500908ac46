import Bytes

/// The errors for refused documents; kept out of the fast paths.
extension BinaryDecoder {
    /// An error about the current object of the walk.
    @inline(never)
    func refusal(_ reason: String) -> PropertyListError { PropertyListError(reason, at: .byte(offset: position)) }

    @inline(never)
    func unknownObject(_ reference: Int) -> PropertyListError {
        PropertyListError(
            "the container refers to object \(UInt(bitPattern: reference)), but the document has \(layout.objectCount) objects",
            at: .byte(offset: current.offset))
    }

    @inline(never)
    func misplaced(_ object: Int, offset: UInt64, entry: Int) -> PropertyListError {
        let (first, last) = (layout.objects.lowerBound, layout.objects.upperBound - 1)
        return PropertyListError(
            "object \(object) has the offset \(offset), but objects occupy bytes \(first) to \(last)",
            at: .byte(offset: entry))
    }

    @inline(never)
    func overrun(_ count: UInt64) -> PropertyListError {
        refusal("the object's size, \(count), takes it past byte \(layout.objects.upperBound), where objects end")
    }

    @inline(never)
    func tooLong() -> PropertyListError {
        refusal("a value is longer than \(limits.valueBytes) bytes; store large data in separate files")
    }

    @inline(never)
    func tooDeep(_ object: Int) -> PropertyListError {
        cycle(in: outer.map(\.object) + [current.object, object])
            ?? refusal("the document nests deeper than \(limits.nesting) containers; flatten it")
    }

    @inline(never)
    func tooManyValues() -> PropertyListError {
        if let openCycle { return openCycle }
        if allowance.values == limits.values {
            return refusal("the document holds more than \(limits.values) values; split it")
        }
        return refusal(
            "the document's shared objects expand to more than \(allowance.values) values, the most that its size allows"
        )
    }

    @inline(never)
    func tooMuchText() -> PropertyListError {
        refusal(
            "the document's shared texts expand to more than \(allowance.textBytes) bytes, the most that its size allows"
        )
    }

    /// The error for an object that contains itself, if one of the open containers is open twice.
    var openCycle: PropertyListError? { cycle(in: outer.map(\.object) + [current.object]) }

    private func cycle(in containers: [Int]) -> PropertyListError? {
        var open: Set<Int> = []
        for object in containers where object >= 0 && !open.insert(object).inserted {
            return refusal("object \(object) contains itself, but a property list cannot have cycles")
        }
        return nil
    }

    @inline(never)
    func unknownType(_ token: UInt8) -> PropertyListError {
        let name = Self.hexadecimal(token)
        return switch token >> 4 {
        case 0 where token == 0: refusal("a property list cannot contain null (token \(name))")
        case 0x7:
            refusal(
                "a string must be ASCII or UTF-16; UTF-8 (token \(name)) does not belong to this version of the format")
        case 0xB, 0xC: refusal("sets (token \(name)) are not supported; use an array")
        default: refusal("the token \(name) is not a property list type")
        }
    }

    /// A byte as `0x7f`.
    static func hexadecimal(_ byte: UInt8) -> String {
        "0x" + String(hexadecimal: byte, digits: 2, uppercase: false)
    }
}
