/// An argument as it is typed in a shell (POSIX, Shell Command Language, 2.2).
enum ShellWord {
    /// The argument unchanged if the shell does not interpret it, else in single quotes.
    static func quoted(_ argument: String) -> String {
        guard argument.isEmpty || !argument.unicodeScalars.allSatisfy(isPlain) else { return argument }
        return "'" + argument.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
            || "_@%+=:,./-".unicodeScalars.contains(scalar)
    }
}
