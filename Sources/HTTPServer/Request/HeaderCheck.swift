/// The rules of RFC 9112 that libmicrohttpd does not enforce and that request smuggling exploits.
struct HeaderCheck {
    let line: RequestLine
    /// The bytes of the request line and the header together.
    let size: Int
    /// The hosts that are served; nil for all.
    let hosts: AllowedHosts?
    /// Whether the library's parser has to be checked line by line, as that of versions before 1.0 has.
    let strictly: Bool

    /// Fields that two recipients could interpret differently if they had two lines.
    private static let single: [FieldName] = [
        .authorization, .contentLength, .contentType, .host, .ifModifiedSince, .ifRange, .ifUnmodifiedSince,
        .lastEventID, .origin, .range, .transferEncoding,
    ]

    /// The fault of the header, if it has one.
    ///
    /// - Parameter checked: the last header on this connection that was valid; an equal one is not checked again.
    func fault(in fields: borrowing FieldLines, limit: Int, checked: inout OctetBuffer) -> Fault? {
        if size > limit { return .headerTooLong(limit: limit) }
        guard strictly else { return fieldFault(in: fields) }
        if !isContiguous(fields) { return .lineEnding }
        // The lines are contiguous, so the same bytes are the same lines.
        let header = line.version.extended(to: size - (line.version - line.method))
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
        var end = unsafe line.version.end + 2
        for index in 0..<fields.count {
            let field = fields[index]
            let gap = unsafe field.rawValue.start - field.name.end
            guard unsafe field.name.start == end, gap >= 1, gap <= size else { return false }
            unsafe end = field.rawValue.end + 2
        }
        return unsafe end + 2 == line.method.start + size
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

    /// Fields that determine how a message is read, which must not follow its body (RFC 9110, section 6.5.1).
    private static let forbiddenInTrailer: [StaticString] = [
        "authorization", "connection", "content-encoding", "content-length", "content-range", "content-type", "expect",
        "host", "te", "trailer", "transfer-encoding",
    ]

    /// The fault of a trailer's lines, if they have one.
    static func trailerFault(in fields: borrowing FieldLines, from first: Int) -> Fault? {
        for index in first..<fields.count {
            let field = fields[index]
            // libmicrohttpd 0.9.75 passes the last line of the header again, at the same address, if the first line of
            // the trailer arrives in two pieces.
            if index == first, first > 0, unsafe field.name.start == fields[first - 1].name.start { continue }
            let isForbidden = forbiddenInTrailer.contains { field.name.matches($0) }
            if isForbidden || !field.name.isToken || !field.rawValue.isFieldValue { return .trailer }
        }
        return nil
    }
}
