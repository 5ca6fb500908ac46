internal import CPostgres

/// A statement with its values, which are always bound and never part of its text.
struct PostgresStatement {
    /// SQL, or the name of a prepared statement.
    let text: String
    let isPrepared: Bool
    private(set) var values = PostgresValues()

    init(_ text: String) { (self.text, isPrepared) = (text, false) }

    init(prepared name: String) { (text, isPrepared) = (name, true) }
}

extension PostgresStatement {
    func with(_ number: Int64?) -> Self { adding(.int8, bytes: number.map(PostgresValues.bytes)) }
    func with(_ number: Int32) -> Self { adding(.int4, bytes: PostgresValues.bytes(number)) }
    func with(_ text: String?) -> Self { adding(.text, bytes: text.map { Array($0.utf8) }) }
    /// Adds a value as text. The server reads the text as the type that the statement expects in its place.
    func with(untyped text: [UInt8]?) -> Self { adding(nil, bytes: text) }
    func with(json: [UInt8]?) -> Self { adding(.json, bytes: json) }
    func with(_ numbers: [Int64?]) -> Self {
        adding(.int8s, bytes: PostgresValues.array(of: .int8, elements: numbers.map { $0.map(PostgresValues.bytes) }))
    }
    func with(_ numbers: [Int32?]) -> Self {
        adding(.int4s, bytes: PostgresValues.array(of: .int4, elements: numbers.map { $0.map(PostgresValues.bytes) }))
    }
    func with(_ texts: [String?]) -> Self {
        adding(.texts, bytes: PostgresValues.array(of: .text, elements: texts.map { $0.map { Array($0.utf8) } }))
    }
    func with(json values: [[UInt8]?]) -> Self {
        adding(.jsons, bytes: PostgresValues.array(of: .json, elements: values))
    }

    private func adding(_ type: PostgresValues.ValueType?, bytes: [UInt8]?) -> Self {
        var copy = self
        copy.values.append(type, bytes: bytes)
        return copy
    }
}

/// Bound values in the binary form of PostgreSQL's types: numbers are big-endian, text and JSON are UTF-8. A value
/// without a type is text, which the server converts.
struct PostgresValues {
    /// The types by their object identifiers (`pg_type.dat`).
    enum ValueType: Oid {
        case int8 = 20
        case int4 = 23
        case text = 25
        case json = 114
        case jsons = 199
        case int4s = 1007
        case texts = 1009
        case int8s = 1016
    }

    private(set) var types: [Oid] = []
    /// The values in binary form; nil for NULL.
    private var values: [[UInt8]?] = []

    mutating func append(_ type: ValueType?, bytes: [UInt8]?) {
        types.append(type?.rawValue ?? 0)
        values.append(bytes)
    }

    /// Calls a closure with the pointers, lengths and formats that libpq takes.
    func withPointers(
        _ body: (
            _ count: Int32, _ pointers: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int32>?,
            _ formats: UnsafePointer<Int32>?
        ) -> Int32
    ) -> Int32 {
        let lengths = values.map { Int32($0?.count ?? 0) }
        let formats = types.map { $0 == 0 ? Int32(0) : 1 }
        // A value in text form ends with a zero byte. The pointer of an empty value must not be nil: a nil pointer
        // would mean SQL's NULL.
        let all = values.reduce(into: []) { $0 += ($1 ?? []) + [0] }
        return unsafe all.withUnsafeBytes { bytes in
            var pointers: [UnsafePointer<CChar>?] = unsafe []
            var offset = 0
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            for value in values {
                unsafe pointers.append(value == nil ? nil : start.map { unsafe $0 + offset })
                offset += (value?.count ?? 0) + 1
            }
            return unsafe body(Int32(values.count), pointers, lengths, formats)
        }
    }

    // MARK: Binary forms

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        append(number, to: &bytes)
        return bytes
    }

    static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// An array of one dimension (`array_recv` in the server's arrayfuncs.c).
    static func array(of type: ValueType, elements: [[UInt8]?]) -> [UInt8] {
        var bytes: [UInt8] = []
        let hasNull = elements.contains { $0 == nil }
        append(Int32(elements.isEmpty ? 0 : 1), to: &bytes)
        append(Int32(hasNull ? 1 : 0), to: &bytes)
        append(type.rawValue, to: &bytes)
        guard !elements.isEmpty else { return bytes }
        append(Int32(elements.count), to: &bytes)
        append(Int32(1), to: &bytes)
        for element in elements {
            append(Int32(element?.count ?? -1), to: &bytes)
            if let element { bytes += element }
        }
        return bytes
    }
}
