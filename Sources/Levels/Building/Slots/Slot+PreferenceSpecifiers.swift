internal import PropertyLists

extension Slot {
    /// `PreferenceSpecifiers`: the content of a settings page, if the root has it; see `SettingsPage`.
    static let preferenceSpecifiers = Slot(
        "preferenceSpecifiers", names: .fixed(["PreferenceSpecifiers"]), value: Expectation(array: .value),
        isHidden: true, isForRoot: true
    ) { name in "'\(quoted: name)' must be an array of specifiers" }
}
