/// `Type`: the kind of a control, if it is one of `ControlType`; any other value is an ordinary field.
extension Slot {
    static let type = kind("type")
    static let sectionType = kind("sectionType")

    private static func kind(_ name: String) -> Slot {
        Slot(name, names: .fixed(["Type"]), value: .anything, keepsAnyValue: true) { _ in "a Type may be anything" }
    }
}
