extension Option {
    /// The kind of an option's value.
    enum Value: Equatable {
        /// The option is a flag.
        case none
        case choices([String])
        case file
        case folder
        /// Anything else.
        case text
    }

    /// The kind of value that the placeholder describes: `text|json` lists choices, `FILE` is a file.
    var value: Value {
        guard let placeholder else { return .none }
        if placeholder == "FILE" { return .file }
        if placeholder == "FOLDER" { return .folder }
        let choices = placeholder.split(separator: "|", omittingEmptySubsequences: false)
        let areWords = choices.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isLowercase) }
        return areWords ? .choices(choices.map(String.init)) : .text
    }
}
