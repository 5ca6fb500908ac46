internal import PropertyLists

/// Checks a value that a client gives to a control.
enum ControlCheck {
    /// Refuses a value that a control cannot have.
    ///
    /// - Parameter control: the control as its row shows it: `type`, `key`, `options`, `min`, `max` and so on.
    /// - Throws: `EditRefusal` with what is allowed.
    static func check(_ value: PropertyListValue, for control: PropertyListDictionary) throws(EditRefusal) {}
}
