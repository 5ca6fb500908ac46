/// The manual page drilldown(1), in the macros of man(7).
enum ManualPage {
    /// Returns the manual page.
    ///
    /// - Throws: `UsageError` if the command has arguments.
    static func text(for arguments: [String]) throws(UsageError) -> String {
        guard arguments.isEmpty else {
            throw UsageError(fact: "manual takes no arguments, but there are: \(arguments.joined(separator: ", ")).")
        }
        return text
    }

    static var text: String {
        let commands = CommandLineArguments.Command.allCases
        return """
            .\\" Printed by: drilldown manual
            .TH DRILLDOWN 1 "" "\(Help.version)" "User Commands"
            .ss 12 0
            .nh
            .ad l
            .SH NAME
            drilldown \\- serves a property list over HTTP, one level at a time
            .SH SYNOPSIS
            \(commands.map { command($0.synopsis) }.joined(separator: "\n.br\n"))
            .br
            \(command("--help | --version"))
            .SH DESCRIPTION
            \(commands.map(entry).joined(separator: "\n"))
            .SH OPTIONS
            \(filled("The options of serve; check takes \(namesOfCheck)."))
            \(Option.all.map(entry).joined(separator: "\n"))
            .SH OPTIONS OF IMPORT
            \(Option.ofImport.map(entryOfBrowse).joined(separator: "\n"))
            .SH OPTIONS OF EXPORT
            \(Option.ofExport.map(entryOfBrowse).joined(separator: "\n"))
            .SH OPTIONS OF BROWSE
            \(Option.ofBrowse.map(entryOfBrowse).joined(separator: "\n"))
            \((Help.Section.all + [Help.Section.statuses]).map(section).joined(separator: "\n"))
            .SH FILES
            .TP
            .I /etc/drilldown/drilldown.plist
            \(filled("The configuration of drilldown.service, which the Debian package installs."))
            .SH EXAMPLES
            .EX
            \(escaped("drilldown serve Data.plist --listen 127.0.0.1:8081"))
            \(escaped("drilldown check *.plist"))
            \(escaped("curl http://127.0.0.1:8081/levels/"))
            \(escaped("drilldown browse http://127.0.0.1:8081"))
            .EE

            """
    }

    // MARK: Parts

    private static func command(_ arguments: String) -> String { ".B drilldown\n\(escaped(arguments))" }

    /// Returns the entry of a command.
    private static func entry(of command: CommandLineArguments.Command) -> String {
        let text =
            switch command {
            case .serve: Help.Section.serve.text
            case .check: Help.Section.check.text
            case .import: Help.Section.import.text
            case .export: Help.Section.export.text
            case .browse: "\(Help.Section.browse.text) \(Help.Section.browsingKeys.text)"
            case .completions, .manual: sentence(command.summary)
            }
        return ".TP\n.B \(command.rawValue)\n\(filled(text))"
    }

    private static func entry(of option: Option) -> String {
        var facts = "Key \(option.key), variable \(option.variable)"
        if option.key == "Config" { facts = "Variable \(option.variable)" }
        if let standard = option.standard { facts += ", default \(standard)" }
        return "\(entryOfBrowse(of: option))\n\(filled("\(facts)."))"
    }

    /// Returns the entry of an option, without a key and a variable. Options that exist only on the command line lack
    /// both.
    private static func entryOfBrowse(of option: Option) -> String {
        let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
        return """
            .TP
            \\fB\(escaped("--\(option.name)"))\\fR\(value)
            \(filled(sentence(option.help)))
            """
    }

    private static var namesOfCheck: String {
        let names = Option.all(of: .check).map { "--\($0.name)" }
        return names.dropLast().joined(separator: ", ") + " and \(names[names.count - 1])"
    }

    private static func section(_ section: Help.Section) -> String {
        ".SH \(section.heading)\n\(filled(section.text))"
    }

    /// Turns a few words from the table of options into a sentence.
    private static func sentence(_ words: String) -> String { words.prefix(1).uppercased() + words.dropFirst() + "." }

    // MARK: Text

    /// Returns escaped lines, which groff fills. An empty line begins a paragraph.
    private static func filled(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? ".P" : escaped($0) }.joined(separator: "\n")
    }

    /// Escapes a line, so that groff does not interpret its characters as requests or escapes (groff(7)).
    static func escaped(_ line: some StringProtocol) -> String {
        let text = line.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\e"
            case "-": text += "\\-"
            case "…": text += "..."
            case let scalar where scalar.isASCII: text.unicodeScalars.append(scalar)
            default: text += "\\[u\(hexadecimal(scalar))]"
            }
        }
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(text)" : text
    }

    /// Returns the number of a character in hexadecimal, with at least four digits, as groff expects.
    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
