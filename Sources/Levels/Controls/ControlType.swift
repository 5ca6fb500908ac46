/// The kinds of controls that an item or a section outside of a settings bundle can name as its `Type`.
enum ControlType: String {
    case toggleSwitch = "ToggleSwitch"
    case textField = "TextField"
    case slider = "Slider"
    case multiValue = "MultiValue"
    case radioGroup = "RadioGroup"
    case titleValue = "TitleValue"
    case button = "Button"
    /// A section of independent Booleans, or one of them.
    case checkbox = "Checkbox"
    /// A section whose rows are the elements of one array value.
    case multirow = "Multirow"

    /// The kind that a section gives to its rows; nil if the rows keep their own.
    var ofRows: ControlType? {
        switch self {
        case .radioGroup, .checkbox, .multirow: self
        default: nil
        }
    }
}
