/// A request for an origin's document, conditional if one was loaded before, at once or after a wait for a change.
struct FetchRequest: Sendable, Equatable {
    /// The validators of the current document; empty if there is none.
    let validators: Validators
    /// How long the origin may hold its response back; nil for not at all.
    let wait: Duration?

    /// Without a tag the origin does not know which state to wait to differ from.
    init(validators: Validators = .init(), wait: Duration? = nil) {
        self.validators = validators
        self.wait = validators.entityTag == nil ? nil : wait
    }

    /// A drilldown server returns its binary form, which is the cheapest to read and can represent every text; any
    /// other server returns what it has.
    private static let accept =
        "Accept: application/x-bplist, application/octet-stream;q=0.9, application/x-plist;q=0.8, application/json;q=0.7, */*;q=0.5"

    /// The header lines that curl does not add by itself; `Prefer` is from RFC 7240.
    var fieldLines: [String] {
        var lines = [Self.accept]
        if let tag = validators.entityTag { lines.append("If-None-Match: \(tag)") }
        if let date = validators.lastModified { lines.append("If-Modified-Since: \(date)") }
        if let wait { lines.append("Prefer: wait=\(wait.components.seconds)") }
        return lines
    }
}
