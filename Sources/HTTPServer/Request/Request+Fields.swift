extension Request {
    /// Whether the request has a line of this field.
    public func has(_ name: FieldName) -> Bool { parts.fields.present.contains(name) }

    /// Whether the request has a line of any of these fields.
    public func hasAny(of names: FieldName.Set) -> Bool { parts.fields.present.intersects(names) }

    /// The value of a field, nil if it is absent; several lines are joined by `", "` (RFC 9110, section 5.3).
    public func field(_ name: FieldName) -> String? {
        guard has(name) else { return nil }
        var joined: String?
        for index in 0..<parts.fields.count where parts.fields[index].field == name {
            let text = parts.fields[index].value.text
            joined = joined.map { "\($0), \(text)" } ?? text
        }
        return joined
    }

    /// Passes the value of each line of a field, in order and in place: nothing is copied.
    public func forEachLine(of name: FieldName, _ body: (Span<UInt8>) -> Void) {
        for index in 0..<parts.fields.count where parts.fields[index].field == name {
            let value = parts.fields[index].value
            body(unsafe Span(_unsafeStart: value.start, count: value.count))
        }
    }
}
