import Foundation

/// The answer to a request, whatever its status.
struct Answer: Sendable {
    var status: Int
    /// The header fields by their names in lower case.
    var header: [String: String]
    var body: Data
    /// The target of the request.
    var target: String

    var entityTag: String? { header["etag"] }
}
