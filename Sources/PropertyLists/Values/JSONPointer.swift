/// The steps of a JSON pointer (RFC 6901).
public enum JSONPointer {
    /// The step to the entry of a key.
    public static func step(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return "/" + key }
        var step = "/"
        for scalar in key.unicodeScalars {
            switch scalar {
            case "~": step += "~0"
            case "/": step += "~1"
            default: step.unicodeScalars.append(scalar)
            }
        }
        return step
    }

    /// The step to an element, counted from 0.
    public static func step(_ index: Int) -> String { "/\(index)" }
}
