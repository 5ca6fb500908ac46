public import PropertyLists

/// Checks whether controls accept values (manual, Settings pages).
public enum ControlCheck {
    /// Checks whether a control accepts a client's value. The value may have any property-list type.
    ///
    /// - Parameter control: the members of the control (`Level.control(ofRow:)`).
    /// - Throws: `EditRefusal` of the kind `notAllowed` if the control rejects the value.
    public static func check(
        _ value: PropertyListValue, for control: PropertyListDictionary
    ) throws(EditRefusal) {
        let rule = ControlRule(of: control)
        guard let objection = rule.objection(to: value) else { return }
        throw EditRefusal(.notAllowed(rule.allowed, pointer: "/Value"), detail: "'Value' \(objection).")
    }

    /// Checks a value, and converts it to the type that the document stores.
    ///
    /// If the control offers a choice, this is the type of the chosen option. Otherwise it is the type of the control's
    /// present value, if the new value can be converted to that type.
    ///
    /// - Parameter isExact: whether the client gave the type. That type is then kept, unless the control offers a
    ///   choice.
    /// - Throws: `EditRefusal` of the kind `notAllowed` if the control rejects the value.
    public static func stored(
        _ value: PropertyListValue, for control: PropertyListDictionary, isExact: Bool
    ) throws(EditRefusal) -> PropertyListValue {
        let fitted = isExact ? value : control["value"].map { value.fitted(to: $0) } ?? value
        if let accepted = ControlRule(of: control).accepted(fitted) { return accepted }
        try check(value, for: control)
        return value
    }

}
