import TreeStore

/// What a store has done since its start.
struct StoreTotals: Equatable {
    /// How often something was done, and how long it took in all.
    struct Work: Equatable {
        var count = 0
        var seconds = 0.0

        mutating func note(_ took: Duration) {
            let (seconds, attoseconds) = took.components
            count += 1
            self.seconds += Double(seconds) + Double(attoseconds) / 1e18
        }
    }

    /// Loads that were published.
    var published = Work()
    /// Loads that brought nothing new.
    var unchanged = Work()
    var refused = Work()
    /// In seconds since 1970; 0 if there was none.
    var latestLoad = 0.0
    /// In seconds since 1970; 0 if there was none.
    var latestRefusal = 0.0
    /// Saves, each of the edits of one request or more.
    var saves = Work()
    var failedSaves = 0
    /// Requests that changed the document.
    var edits = 0
    /// The steps of them; the replacement of the whole document is one.
    var editSteps = 0

    mutating func note(_ event: StoreEvent, at now: Double) {
        switch event {
        case .loaded(_, _, let took):
            published.note(took)
            latestLoad = now
        case .unchanged(_, let took):
            unchanged.note(took)
            latestLoad = now
        case .refused(_, let took):
            refused.note(took)
            latestRefusal = now
        case .edited(_, _, let steps, _):
            edits += 1
            editSteps += max(steps, 1)
        case .saved(_, let took): saves.note(took)
        case .notSaved: failedSaves += 1
        case .recovered, .warnings: break
        }
    }
}
