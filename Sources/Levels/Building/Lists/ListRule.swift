/// A list whose level is made when its item ends: what it contains, and the strategy that makes the level.
struct ListRule: Sendable {
    /// What closes the list.
    let kind: Frame.Kind
    /// What its elements may be.
    let elements: Expectation
    /// How its rows are written in the document.
    let form: LevelForm
    let strategy: any LevelStrategy.Type
}
