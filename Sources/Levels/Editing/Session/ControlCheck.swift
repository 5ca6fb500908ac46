public import PropertyLists

/// Tells whether a control can have a value (manual, Settings pages).
public enum ControlCheck {
    /// Checks a value that a client sets.
    ///
    /// - Parameters:
    ///   - value: the value, in any property-list type.
    ///   - control: the members of the control, as its row shows them (`Level.control(ofRow:)`).
    /// - Throws: `EditRefusal` of the kind `notAllowed` if the control cannot have the value.
    public static func check(
        _ value: PropertyListValue, for control: PropertyListDictionary
    ) throws(EditRefusal) {
        let rule = ControlRule(of: control)
        guard let objection = rule.objection(to: value) else { return }
        throw EditRefusal(.notAllowed(rule.allowed, pointer: "/Value"), "'Value' \(objection).")
    }

    /// Checks a value, and returns it in the type in which it is stored.
    ///
    /// A choice is stored as it is among the `options`, any other value in the type that the control's value has, if it
    /// can be read as that.
    ///
    /// - Parameters:
    ///   - value: the value, in any property-list type.
    ///   - control: the members of the control.
    ///   - isExact: whether the client gave the type, which is kept unless it is a choice.
    /// - Throws: `EditRefusal` of the kind `notAllowed` if the control cannot have the value.
    public static func stored(
        _ value: PropertyListValue, for control: PropertyListDictionary, isExact: Bool
    ) throws(EditRefusal) -> PropertyListValue {
        let fitted = isExact ? value : control["value"].map { value.fitted(to: $0) } ?? value
        if let accepted = ControlRule(of: control).accepted(fitted) { return accepted }
        try check(value, for: control)
        return value
    }

}
