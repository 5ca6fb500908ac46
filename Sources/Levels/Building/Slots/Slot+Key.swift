extension Slot {
    /// `Key`: the item's path segment, in place of its title.
    static let key = Slot("key", names: .role(.key), value: Expectation(.text), check: .strongestSoFar) { _ in
        "a Key must be text"
    }
}
