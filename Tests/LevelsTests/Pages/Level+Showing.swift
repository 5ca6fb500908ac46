import PropertyLists

@testable import Levels

extension Level {
    /// The level with stored values, as written.
    func showing(_ values: PropertyListDictionary, unusable: (UnusableValue) -> Void = { _ in }) -> Level {
        showing(values, in: [{ _ in nil }], unusable: unusable)[0]
    }

    /// The level in another language.
    func translated(_ translation: @escaping Translation) -> Level { showing(.init(), in: [translation])[0] }
}
