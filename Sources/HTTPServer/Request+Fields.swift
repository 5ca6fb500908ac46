extension Request {
    /// Whether the request has a line of this field.
    public func has(_ name: FieldName) -> Bool {
        fields.present & (1 &<< UInt64(name.rawValue)) != 0
    }

    /// Whether the request has a line of any of these fields.
    public func hasAny(of names: FieldName.Set) -> Bool { fields.present & names.rawValue != 0 }

    /// The value of a field, or `nil` without one; several lines are joined by `", "` (RFC 9110 section 5.3).
    public func field(_ name: FieldName) -> String? {
        guard has(name) else { return nil }
        var joined: String?
        for index in 0..<fields.count where fields[index].kind == name.rawValue {
            joined = joined.map { $0 + ", " + fields[index].text } ?? fields[index].text
        }
        return joined
    }
}
