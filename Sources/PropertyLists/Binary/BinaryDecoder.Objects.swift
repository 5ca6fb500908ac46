import Bytes
import DrilldownDates

/// Reads one object. The first four bits of its first byte are its type.
extension BinaryDecoder {
    @inline(__always)
    mutating func read(_ object: Int) throws(PropertyListError) -> Event {
        let word = try objects.word(at: position)
        let token = UInt8(truncatingIfNeeded: word >> 56)
        switch token >> 4 {
        case 0x5:
            try readASCII(token)
            return .string
        case 0xD:
            try open(object, token: token, isDictionary: true)
            return .beginDictionary
        case 0xA:
            try open(object, token: token, isDictionary: false)
            return .beginArray
        case 0x6:
            try readUTF16(token)
            return .string
        case 0x1:
            return .scalar(.integer(try readInteger(token)))
        default:
            return try readOther(token)
        }
    }

    @inline(never)
    private mutating func readOther(_ token: UInt8) throws(PropertyListError) -> Event {
        switch token {
        case 0x08: return .scalar(.boolean(false))
        case 0x09: return .scalar(.boolean(true))
        case 0x22:
            try demand(5)
            let bits = UInt32(truncatingIfNeeded: try objects.integer(at: position + 1, width: 4))
            return .scalar(.real(Double(Float(bitPattern: bits))))
        case 0x23: return .scalar(.real(try readDouble()))
        case 0x33:
            let seconds = try readDouble()
            guard CivilDate.holds(seconds) else {
                throw refusal("a date must be in the years 1 to 9999, but this one is \(seconds) s from 2001")
            }
            return .scalar(.date(seconds))
        case 0x40...0x4F:
            let (start, count) = try extent(token, unit: 1)
            try lend(start, count: count)
            return .data
        case 0x80...0x8F: return .scalar(.uid(try readUID(token)))
        // CoreFoundation calls this token fill, and refuses it. Python's plistlib reads it as empty data.
        case 0x0F:
            try lend(position, count: 0)
            return .data
        default: throw unknownType(token)
        }
    }

    /// Checks that an object of a fixed size does not extend beyond the end of the objects.
    @inline(__always)
    private func demand(_ bytes: Int) throws(PropertyListError) {
        if bytes > layout.objects.upperBound &- position { throw overrun(UInt64(bytes)) }
    }

    /// Reads the offset of an object's contents and the number of their units from the object's first bytes.
    ///
    /// - Parameter unit: the size of one unit in bytes, for the check that the contents do not extend beyond the end of
    ///   the objects.
    @inline(__always)
    private mutating func extent(
        _ token: UInt8, unit: Int
    ) throws(PropertyListError) -> (start: Int, count: Int) {
        var start = position &+ 1
        var count = UInt64(token & 0xF)
        if count == 0xF { (start, count) = try longExtent() }
        let room = layout.objects.upperBound &- start
        guard room >= 0, count <= UInt64(room) / UInt64(unit) else { throw overrun(count) }
        return (start, Int(truncatingIfNeeded: count))
    }

    /// Reads the offset of an object's contents and the number of their units, if the number follows the token as an
    /// integer.
    @inline(never)
    private mutating func longExtent() throws(PropertyListError) -> (start: Int, count: UInt64) {
        let marker = UInt8(truncatingIfNeeded: try objects.integer(at: position + 1, width: 1))
        guard 0x10...0x13 ~= marker else {
            throw refusal("a count must be an integer of 1 to 8 bytes, but its token is \(Self.hexadecimal(marker))")
        }
        let width = 1 << Int(marker & 0xF)
        return (position + 2 + width, try objects.integer(at: position + 2, width: width))
    }

    @inline(__always)
    private mutating func open(_ object: Int, token: UInt8, isDictionary: Bool) throws(PropertyListError) {
        let width = layout.referenceWidth
        let (start, count) = try extent(token, unit: isDictionary ? 2 * width : width)
        guard outer.count < limits.nesting else { throw tooDeep(object) }
        outer.append(current)
        current = Container(
            object: object, offset: position, isDictionary: isDictionary, left: count,
            value: isDictionary ? start + count * width : start, key: start)
    }

    /// Makes a run of bytes the `text` of the event, if possible without a copy.
    @inline(__always)
    private mutating func lend(_ start: Int, count: Int) throws(PropertyListError) {
        if count > limits.valueBytes { throw tooLong() }
        textCount = count
        if let place = try objects.run(at: start, count: count) {
            source = .pages(place: place)
        } else {
            scratch.truncate(to: 0)
            try objects.copy(at: start, count: count, to: &scratch)
            source = .scratch
        }
    }

    @inline(__always)
    private mutating func readASCII(_ token: UInt8) throws(PropertyListError) {
        let (start, count) = try extent(token, unit: 1)
        try lend(start, count: count)
        let isASCII =
            if case .pages(let place) = source {
                ByteScan.isASCII(objects.span(at: place, count: count))
            } else {
                ByteScan.isASCII(scratch.span)
            }
        guard isASCII else {
            throw refusal("an ASCII string must not have a byte above 0x7f; store other text as UTF-16")
        }
    }

    @inline(never)
    private mutating func readUTF16(_ token: UInt8) throws(PropertyListError) {
        let (start, count) = try extent(token, unit: 2)
        if count > limits.valueBytes { throw tooLong() }
        units.truncate(to: 0)
        try objects.copy(at: start, count: 2 * count, to: &units)
        scratch.truncate(to: 0)
        let fault = scratch.append(utf16BigEndian: units)
        source = .scratch
        textCount = scratch.count
        if let fault {
            throw refusal("code unit \(fault) of a UTF-16 string is a surrogate without its other half")
        }
        if textCount > limits.valueBytes { throw tooLong() }
    }

    private mutating func readInteger(_ token: UInt8) throws(PropertyListError) -> PropertyListInteger {
        guard token <= 0x14 else { throw refusal("an integer must have 1, 2, 4, 8 or 16 bytes") }
        let width = 1 << Int(token & 0xF)
        try demand(1 + width)
        guard width == 16 else {
            let bits = try objects.integer(at: position + 1, width: width)
            return width == 8 ? PropertyListInteger(Int64(bitPattern: bits)) : PropertyListInteger(bits)
        }
        let high = try objects.word(at: position + 1)
        let low = try objects.word(at: position + 9)
        if high == 0 { return PropertyListInteger(low) }
        guard high == .max, low >> 63 == 1 else {
            throw refusal("an integer must be from -9223372036854775808 to 18446744073709551615")
        }
        return PropertyListInteger(Int64(bitPattern: low))
    }

    private mutating func readDouble() throws(PropertyListError) -> Double {
        try demand(9)
        return Double(bitPattern: try objects.word(at: position + 1))
    }

    private mutating func readUID(_ token: UInt8) throws(PropertyListError) -> UInt64 {
        let width = Int(token & 0xF) + 1
        try demand(1 + width)
        if width <= 8 { return try objects.integer(at: position + 1, width: width) }
        guard try objects.integer(at: position + 1, width: width - 8) == 0 else {
            throw refusal("a UID must be below 18446744073709551616")
        }
        return try objects.word(at: position + 1 + width - 8)
    }
}

/// The errors for refused documents. They are made in functions of their own, outside the fast paths.
extension BinaryDecoder {
    /// An error about the current object of the walk.
    @inline(never)
    func refusal(_ reason: String) -> PropertyListError {
        PropertyListError(reason: reason, at: .byte(offset: position))
    }

    @inline(never)
    func unknownObject(_ reference: Int) -> PropertyListError {
        PropertyListError(
            reason:
                "the container refers to object \(UInt(bitPattern: reference)), but the document has \(layout.objectCount) objects",
            at: .byte(offset: current.offset))
    }

    @inline(never)
    func misplaced(_ object: Int, offset: UInt64, entry: Int) -> PropertyListError {
        let (first, last) = (layout.objects.lowerBound, layout.objects.upperBound - 1)
        return PropertyListError(
            reason: "object \(object) has the offset \(offset), but objects occupy bytes \(first) to \(last)",
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

    /// The error for an object that contains itself; nil unless a container is open twice.
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

    /// A byte in the form `0x7f`.
    static func hexadecimal(_ byte: UInt8) -> String {
        "0x" + String(hexadecimal: byte, digits: 2, uppercase: false)
    }
}
