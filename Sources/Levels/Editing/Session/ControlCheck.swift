public import PropertyLists

/// Checks values for controls (manual, Settings pages).
public enum ControlCheck {
    /// Checks a client's value of any property-list type for a control with these members (`Level.control(ofRow:)`).
    ///
    /// - Throws: `EditRefusal` of the kind `notAllowed` if the control rejects the value.
    public static func check(
        _ value: PropertyListValue, for control: PropertyListDictionary
    ) throws(EditRefusal) {
        let rule = ControlRule(of: control)
        guard let objection = rule.objection(to: value) else { return }
        throw EditRefusal(.notAllowed(rule.allowed, pointer: "/Value"), detail: "'Value' \(objection).")
    }

    /// Checks a value, and returns it in the type in which it is stored: that of the chosen option, or else that of the
    /// control's value, if possible.
    ///
    /// - Parameter isExact: whether the client gave the type, which is kept unless it is a choice.
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
