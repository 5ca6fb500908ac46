/// The control that shows and edits a setting: a switch, a slider, a choice.
public struct Control: Hashable, Sendable {
    /// The kind of control, such as `ToggleSwitch` or `Slider`.
    public var type: String
    /// The key of the value in the values document; nil if the value is a field of the item.
    public var key: String?
    /// The current value; nil for a setting without a value.
    public var value: FieldValue?
    /// The values that can be chosen.
    public var options: [Option]
    /// The value that is stored when this row of a radio group is chosen; nil for other controls.
    public var choice: FieldValue?
    /// The minimum of a slider; nil for other controls.
    public var min: FieldValue?
    /// The maximum of a slider; nil for other controls.
    public var max: FieldValue?
    /// The value of a switch that is on; nil means `true`.
    public var trueValue: FieldValue?
    /// The value of a switch that is off; nil means `false`.
    public var falseValue: FieldValue?
    /// Whether the text is hidden while it is typed.
    public var isSecure: Bool
    /// The keyboard for the text, such as `NumberPad`.
    public var keyboard: String?
    /// The tag of the control.
    public var tag: FieldValue?

    /// A value that can be chosen.
    public struct Option: Hashable, Sendable {
        /// The text to show.
        public var title: String
        /// The value to store.
        public var value: FieldValue

        /// Creates an option with these values.
        public init(title: String, value: FieldValue) {
            self.title = title
            self.value = value
        }
    }

    /// Creates a control of a type, with a value.
    public init(type: String, key: String? = nil, value: FieldValue? = nil, options: [Option] = []) {
        self.type = type
        self.key = key
        self.value = value
        self.options = options
        isSecure = false
    }

    /// Whether a switch is on.
    public var isOn: Bool { value == value(isOn: true) || trueValue == nil && value?.int == 1 }

    /// Returns the value to store when a switch is turned on or off. `Server.setSwitch(of:isOn:)` stores this value.
    public func value(isOn: Bool) -> FieldValue {
        isOn ? trueValue ?? true : falseValue ?? false
    }
}
