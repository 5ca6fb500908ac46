public import Foundation

extension Problem: CustomStringConvertible {
    /// The sentence about this case.
    public var description: String { detail }
}

extension Problem: LocalizedError {
    /// The sentence about this case.
    public var errorDescription: String? { detail }
}
