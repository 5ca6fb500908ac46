/// The reason why an environment variable of the service manager cannot be used.
public enum ServiceManagerError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The value is not what the variable is for.
    case malformed(variable: String, value: String, wanted: String)

    /// What is wrong and what would be right, without a final full stop.
    public var description: String {
        switch self {
        case .malformed(let variable, let value, let wanted):
            "the service manager set \(variable) to '\(value)', which is not \(wanted)"
        }
    }
}
