/// What an origin calls one state of its document (RFC 9110, section 8.8), to ask whether it is still that one.
struct Validators: Sendable, Equatable {
    /// The value of `ETag`, quotes and all.
    var entityTag: String?
    /// The value of `Last-Modified`.
    var lastModified: String?

    var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
