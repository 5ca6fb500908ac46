extension Slot {
    /// `DrillBy`: the fields whose values are the levels above the records.
    static let drillBy = Slot("drillBy", names: .fixed(["DrillBy"]), value: Expectation(array: .value)) { _ in
        "'DrillBy' must be an array of field names"
    }
}
