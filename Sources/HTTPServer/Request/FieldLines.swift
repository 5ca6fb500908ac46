import CMicroHTTPD

/// The lines of one request's header, in order. The storage is reused from request to request.
struct FieldLines: ~Copyable {
    private var lines: ContiguousArray<FieldLine> = []
    /// The fields of `FieldName` that are present.
    private(set) var present: FieldName.Set = []
    /// The fields of `FieldName` with several lines.
    private(set) var repeated: FieldName.Set = []

    init() { lines.reserveCapacity(16) }

    var count: Int { lines.count }

    var last: FieldLine? { lines.last }

    subscript(index: Int) -> FieldLine { lines[index] }

    mutating func append(_ line: FieldLine) {
        lines.append(line)
        guard let field = line.field else { return }
        if present.contains(field) { repeated.insert(field) }
        present.insert(field)
    }

    /// Removes the lines. Keeps their memory for the next request if `keepingMemory` is true.
    mutating func removeAll(keepingMemory: Bool) {
        lines.removeAll(keepingCapacity: keepingMemory)
        present = []
        repeated = []
    }

    /// Removes the lines from an index on. Does not change `present` and `repeated`.
    mutating func removeAll(from first: Int) { lines.removeSubrange(first...) }

    func first(_ name: FieldName) -> FieldLine? {
        guard present.contains(name) else { return nil }
        for index in 0..<count where lines[index].field == name { return lines[index] }
        return nil
    }
}

extension Request {
    /// Appends the fields of the header or of the trailer, without copying their text.
    func appendFields(_ kind: MHD_ValueKind, of connection: ConnectionHandle) {
        unsafe connection.forEachField(kind, callback: collectField, context: Unmanaged.passUnretained(self).toOpaque())
    }
}

/// MHD_KeyValueIteratorN.
private func collectField(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int,
    _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
    guard let context = unsafe context, let name = unsafe name else { return .NO }
    let value = unsafe value ?? name + nameSize
    unsafe Unmanaged<Request>.fromOpaque(context)._withUnsafeGuaranteedRef {
        $0.parts.fields.append(
            FieldLine(
                name: unsafe Octets(text: name, count: nameSize), value: unsafe Octets(text: value, count: valueSize)))
    }
    return .YES
}

/// One line of a request's header, in memory that the request does not own.
struct FieldLine {
    let name: Octets
    /// The value without the white space around it.
    let value: Octets
    /// The value as the library delimits it, which may end with white space.
    let rawValue: Octets
    /// The name as a `FieldName`; nil if the list lacks the name.
    let field: FieldName?

    init(name: Octets, value rawValue: Octets) {
        self.name = name
        self.rawValue = rawValue
        value = rawValue.trimmed
        field = FieldName(name)
    }
}

/// The name of a request field that a responder can ask for (RFC 9110, section 5.1).
///
/// The list is closed: one pass over the header classifies its lines, and `Request.has(_:)` is a bit test.
public enum FieldName: UInt8, CaseIterable, Sendable {
    /// A request field; `lowercased` is its name.
    case accept, acceptEncoding, acceptLanguage, accessControlRequestHeaders, accessControlRequestMethod
    /// A request field; `lowercased` is its name.
    case authorization, cacheControl, connection, contentEncoding, contentLength, contentType, cookie
    /// A request field; `lowercased` is its name.
    case drilldownRevision, expect, forwarded
    /// A request field; `lowercased` is its name.
    case host, ifMatch, ifModifiedSince, ifNoneMatch, ifRange, ifUnmodifiedSince, lastEventID, origin, prefer
    /// A request field; `lowercased` is its name.
    case range, referer, requestID, secFetchSite, traceparent, transferEncoding, upgrade, userAgent
    /// A request field; `lowercased` is its name.
    case xForwardedFor

    /// The name in lower case.
    public var lowercased: StaticString { Self.names[Int(rawValue)] }

    /// The names in lower case, in the order of the cases.
    private static let names: [StaticString] = [
        "accept", "accept-encoding", "accept-language", "access-control-request-headers",
        "access-control-request-method", "authorization", "cache-control", "connection", "content-encoding",
        "content-length", "content-type", "cookie", "drilldown-revision", "expect", "forwarded", "host", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "last-event-id", "origin", "prefer",
        "range", "referer",
        "x-request-id", "sec-fetch-site", "traceparent", "transfer-encoding", "upgrade", "user-agent",
        "x-forwarded-for",
    ]

    /// Recognizes the name of a header line, ignoring case; nil for a field that is not on the list.
    init?(_ name: Octets) {
        guard name.count > 0, let candidate = FieldName.table[FieldName.place(of: name)],
            name.matches(candidate.lowercased)
        else { return nil }
        self = candidate
    }

    /// The place of a name in `table`, made from its length, its first and its last letter. The names on the list have
    /// different places.
    private static func place(of name: Octets) -> Int {
        (4 * name.count + Int(name[0] | 0x20) + 22 * Int(name[name.count - 1] | 0x20)) & 127
    }

    private static let table: [FieldName?] = {
        var table: [FieldName?] = Array(repeating: nil, count: 128)
        for name in allCases {
            let text = name.lowercased
            table[place(of: unsafe Octets(start: text.utf8Start, count: text.utf8CodeUnitCount))] = name
        }
        return table
    }()
}

extension FieldName {
    /// A set of field names. One bit test checks for several names.
    public struct Set: ExpressibleByArrayLiteral, Sendable {
        private(set) var bits: UInt64 = 0

        /// A set of the names listed.
        public init(arrayLiteral names: FieldName...) {
            for name in names { insert(name) }
        }

        mutating func insert(_ name: FieldName) { bits |= 1 &<< UInt64(name.rawValue) }

        /// Whether the name is in the set.
        public func contains(_ name: FieldName) -> Bool { bits & (1 &<< UInt64(name.rawValue)) != 0 }

        func intersects(_ other: Set) -> Bool { bits & other.bits != 0 }
    }
}
