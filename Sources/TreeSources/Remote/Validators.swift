/// An origin's validators for one state of its document (RFC 9110, section 8.8), for conditional requests.
struct Validators: Sendable, Equatable {
    /// The value of `ETag`, including the quotes.
    var entityTag: String?
    /// The value of `Last-Modified`.
    var lastModified: String?

    var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
