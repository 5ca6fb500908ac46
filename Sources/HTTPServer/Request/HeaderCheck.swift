import Bytes

/// Checks rules of RFC 9112 that libmicrohttpd does not enforce. Request smuggling depends on servers that omit these
/// checks.
struct HeaderCheck {
    let line: RequestLine
    /// The size of the request line and the header together, in bytes.
    let size: Int
    /// The hosts that are served; nil for all.
    let hosts: AllowedHosts?
    /// Whether to check the library's parser line by line, which is necessary for versions before 1.0.
    let strictly: Bool

    /// Fields that may have only one line, because two recipients could interpret several lines differently.
    private static let single: [FieldName] = [
        .authorization, .contentLength, .contentType, .host, .ifModifiedSince, .ifRange, .ifUnmodifiedSince,
        .lastEventID, .origin, .range, .transferEncoding,
    ]

    /// The fault of the header; nil if the header is valid.
    ///
    /// - Parameter checked: the last valid header on this connection. An equal header is not checked again.
    func fault(in fields: borrowing FieldLines, checked: inout OctetBuffer) -> Fault? {
        if size > RequestMemory.headerLimit {
            return line.method.joined(to: line.version).count > RequestMemory.headerLimit
                ? .lineTooLong : .headerTooLong
        }
        if fields.count > RequestMemory.fieldLimit { return .tooManyFields(fields.count) }
        guard strictly else { return fieldFault(in: fields) }
        if !isContiguous(fields) { return .lineEnding }
        // The lines are contiguous, so headers with equal bytes have equal lines.
        let header = line.version.joined(to: fields.last?.rawValue ?? line.version)
        if checked.equals(header) { return nil }
        let fault = fieldFault(in: fields)
        if fault == nil { checked.set(header) }
        return fault
    }

    private func fieldFault(in fields: borrowing FieldLines) -> Fault? {
        for index in 0..<fields.count {
            if !fields[index].name.isToken { return .fieldName }
            if !fields[index].rawValue.isFieldValue { return .fieldValue }
        }
        let repeated = fields.repeated
        if let name = HeaderCheck.single.first(where: { repeated.contains($0) }) { return .repeated(name) }
        return hostFault(in: fields) ?? framingFault(in: fields)
    }

    /// Whether only a line end separates each line from the next.
    ///
    /// The library leaves the bytes where they arrived, so any other gap is a folded line, a null character or a bare
    /// line feed.
    private func isContiguous(_ fields: borrowing FieldLines) -> Bool {
        var last = line.version
        for index in 0..<fields.count {
            let field = fields[index]
            let gap = field.rawValue.gap(after: field.name)
            guard field.name.gap(after: last) == 2, gap >= 1, gap <= size else { return false }
            last = field.rawValue
        }
        return line.method.joined(to: last).count + 4 == size
    }

    private func hostFault(in fields: borrowing FieldLines) -> Fault? {
        guard let host = fields.first(.host) else {
            return line.isVersion10 ? nil : .hostMissing
        }
        guard host.value.isHost else { return .host }
        return hosts.map { $0.serves(host.value) } == false ? .misdirected(host.value) : nil
    }

    private func framingFault(in fields: borrowing FieldLines) -> Fault? {
        let length = fields.first(.contentLength)
        guard let coding = fields.first(.transferEncoding) else {
            return length != nil && length?.value.number == nil ? .contentLength : nil
        }
        if length != nil { return .twoLengths }
        if line.isVersion10 { return .transferEncodingVersion }
        return coding.value.matches("chunked") ? nil : .transferEncoding
    }

    /// Fields that determine how a message is read. They must not follow the body (RFC 9110, section 6.5.1).
    private static let forbiddenInTrailer: [StaticString] = [
        "authorization", "connection", "content-encoding", "content-length", "content-range", "content-type", "expect",
        "host", "te", "trailer", "transfer-encoding",
    ]

    static func trailerFault(in fields: borrowing FieldLines, from first: Int) -> Fault? {
        for index in first..<fields.count {
            let field = fields[index]
            // libmicrohttpd 0.9.75 passes the last line of the header again, at the same address, if the first line of
            // the trailer arrives in two pieces.
            if index == first, first > 0, field.name.isAt(fields[first - 1].name) { continue }
            let isForbidden = forbiddenInTrailer.contains { field.name.matches($0) }
            if isForbidden || !field.name.isToken || !field.rawValue.isFieldValue { return .trailer }
        }
        return nil
    }
}

/// The first line of a request, in the library's buffer.
struct RequestLine {
    let method: Octets
    /// The target in the library's buffer; the request has a copy.
    let target: Octets
    let version: Octets

    /// Whether the version is HTTP/1.0.
    ///
    /// Any other version is `HTTP/1.x`, as the library has checked, and is served as HTTP/1.1 (RFC 9110, section 2.5).
    var isVersion10: Bool { version.equals("HTTP/1.0") }

    func fault(strictly layout: Bool) -> Fault? {
        // Versions of the library before 1.0 skip spaces, and end the line at a null character.
        if layout, target.gap(after: method) != 1 || version.gap(after: target) != 1 { return .requestLine }
        return method.isToken ? nil : .method
    }
}

extension Request {
    /// Converts the target to origin-form (RFC 9112, section 3.2), or returns its fault.
    ///
    /// - Parameter hosts: the served hosts; nil for all.
    func normalizeTarget(isConnect: Bool, hosts: AllowedHosts?) -> Fault? {
        let target = parts.target.octets
        if !target.isTarget { return .targetCharacter }
        if isConnect { return .proxy }
        if target.count > 0, target[0] == UInt8(ascii: "/") { return cutFragment() }
        if target.count == 1, target[0] == UInt8(ascii: "*"), method == .options { return nil }
        let scheme = target.begins(with: "http://") ? 7 : target.begins(with: "https://") ? 8 : 0
        guard scheme > 0 else { return .targetForm }
        var end = scheme
        while end < target.count, !Request.endsAuthority(target[end]) { end += 1 }
        // User information in a link can deceive (RFC 9110, section 4.2.4), so '@' is not accepted.
        guard end > scheme, target[scheme..<end].isHost else { return .targetForm }
        if let hosts, !hosts.serves(target[scheme..<end]) { return .misdirected(target[scheme..<end]) }
        let isPath = end < target.count && target[end] == UInt8(ascii: "/")
        parts.target.cut(to: end..<target.count)
        if !isPath { parts.target.prependSlash() }
        return cutFragment()
    }

    /// Removes the path under which a proxy serves the service from the beginning of the target, if the target has it.
    ///
    /// - Parameter basePath: empty, or a path without a slash at its end.
    package func removeBasePath(_ basePath: String) {
        let (target, length) = (parts.target.octets, basePath.utf8.count)
        guard length > 0, target.count >= length, target[0..<length].span.isEqual(to: basePath.utf8Span.span),
            target.count == length || Self.endsAuthority(target[length])
        else { return }
        let isPath = length < target.count && target[length] == UInt8(ascii: "/")
        parts.target.cut(to: length..<target.count)
        if !isPath { parts.target.prependSlash() }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private func cutFragment() -> Fault? {
        let target = parts.target.octets
        if let place = target.firstIndex(of: UInt8(ascii: "#")) { parts.target.cut(to: 0..<place) }
        return nil
    }
}

/// The hosts that a server answers to (RFC 9110, sections 7.4 and 15.5.20).
///
/// The list protects against DNS rebinding: the owner of a web page can make the name of the page's host lead to the
/// address of this machine. The page then has the same origin as this server. But the page's requests still name the
/// page's host, and so are refused.
public final class AllowedHosts: Sendable {
    /// The allowed names, in lower case.
    private let names: [[UInt8]]

    /// - Parameter names: names and addresses without a port, in upper or lower case; IPv6 addresses in brackets.
    public init(_ names: [String]) { self.names = names.map { Array($0.lowercased().utf8) } }

    /// The names by which programs on this machine reach it, and which no web page can have as its own.
    ///
    /// Android's emulator passes on connections to 10.0.2.2 to the loopback address of the machine on which it runs. The
    /// owner of a page can make only a name lead here, not the page's numeric address.
    public static let loopbackNames = ["localhost", "127.0.0.1", "[::1]", "10.0.2.2"]

    /// Whether a text is a name or an address without a port. An IPv6 address must be in brackets.
    public static func isName(_ text: String) -> Bool {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let name = isBracketed ? text.dropFirst().dropLast() : text[...]
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."): true
                case UInt8(ascii: "-"), UInt8(ascii: "_"): !isBracketed
                case UInt8(ascii: ":"): isBracketed
                default: false
                }
            }
    }

    /// Whether a host, with or without a port, is allowed.
    func serves(_ host: Octets) -> Bool {
        guard let name = Self.name(in: host) else { return false }
        return names.contains { Self.matches(name, lowercased: $0) }
    }

    /// The host without its port and without a final dot; nil if the port is malformed.
    static func name(in host: Octets) -> Octets? {
        var end = host.count
        if host.count > 0, host[0] == UInt8(ascii: "[") {
            guard let bracket = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = bracket + 1
        } else if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            end = colon
        }
        if end < host.count {
            guard host[end] == UInt8(ascii: ":") else { return nil }
            for place in end + 1..<host.count where !(0x30...0x39).contains(host[place]) { return nil }
        }
        if end > 1, host[end - 1] == UInt8(ascii: ".") { end -= 1 }
        return host[0..<end]
    }

    private static func matches(_ name: Octets, lowercased: [UInt8]) -> Bool {
        guard name.count == lowercased.count else { return false }
        for place in lowercased.indices {
            let byte = name[place]
            let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            if lower != lowercased[place] { return false }
        }
        return true
    }
}

/// The memory that the library has for the requests of one connection.
///
/// A request is read into the first half. The second half holds a record for each field and each cookie, a copy of the
/// cookies, and the header of the response. If the second half is too small for them, the library cuts the connection.
enum RequestMemory {
    /// The maximum size of the request line and the header together, in bytes.
    static let headerLimit = 8 << 10
    static let fieldLimit = 100
    /// The memory of a connection, in bytes. The library fills all of it with zeros for each request.
    static let size = 2 * headerLimit
    /// The size of the response header lines for which each request must leave room, in bytes. Requests that leave less
    /// room are refused.
    static let shortHeader = 1 << 10

    /// The size of `struct MHD_HTTP_Header` of libmicrohttpd 0.9.75, and of `struct MHD_HTTP_Req_Header` of 1.0, with
    /// their padding.
    private static let record = 64
    /// The size of the status line, the lines that the library adds, and the beginning of a chunk, in bytes.
    private static let automaticLines = 256

    /// The number of bytes that the library needs for the fields of a request in addition to their text.
    static func records(of fields: borrowing FieldLines) -> Int {
        // The server may add one more line, `Connection: close`.
        let lines = (fields.count + 1) * record
        guard let cookies = fields.first(.cookie)?.value else { return lines }
        return lines + cookies.count + (cookies.count(where: endsCookie) + 2) * record
    }

    private static func endsCookie(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") }

    /// Whether the header lines of a response fit beside the records of its request.
    @inline(__always)
    static func hasRoom(forHeader answer: Int, besideRecords records: Int) -> Bool {
        records + answer + automaticLines <= size / 2
    }
}
