/// What is asked of an origin: its document, unless that is the one there is; at once, or when it has changed.
struct FetchRequest: Sendable, Equatable {
    /// Those of the document there is; empty where there is none.
    let validators: Validators
    /// How long the origin may hold its answer back; nil for not at all.
    let wait: Duration?

    /// Without a tag nothing tells the origin what it would wait to differ from.
    init(validators: Validators = .init(), wait: Duration? = nil) {
        self.validators = validators
        self.wait = validators.entityTag == nil ? nil : wait
    }

    /// A drilldown gives its binary form, which is the cheapest to read and can carry every text; any other server
    /// gives what it has.
    private static let accept =
        "Accept: application/x-bplist, application/octet-stream;q=0.9, application/x-plist;q=0.8, application/json;q=0.7, */*;q=0.5"

    /// The lines of the header that are not curl's own; `Prefer` is of RFC 7240.
    var fieldLines: [String] {
        var lines = [Self.accept]
        if let tag = validators.entityTag { lines.append("If-None-Match: \(tag)") }
        if let date = validators.lastModified { lines.append("If-Modified-Since: \(date)") }
        if let wait { lines.append("Prefer: wait=\(wait.components.seconds)") }
        return lines
    }
}
