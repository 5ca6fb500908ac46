internal import Levels
internal import PropertyLists

/// A format of text that is not read as a document, recognized by its first lines.
enum OtherFormat: Equatable {
    case toml, yaml, table

    /// Detects the format of a text; nil if the text does not look like any of these formats.
    init?(_ text: ArraySlice<UInt8>) {
        let lines = text.split { $0 == 0x0A || $0 == 0x0D }.prefix(20).map { line in
            line.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
        }
        guard let first = lines.first(where: { !$0.isEmpty && $0.first != UInt8(ascii: "#") }) else { return nil }
        let line = String(decoding: first, as: UTF8.self)
        if Self.isTOML(line) {
            self = .toml
        } else if Self.isYAML(line) {
            self = .yaml
        } else if Self.isTable(line) {
            self = .table
        } else {
            return nil
        }
    }

    /// The refusal of a document whose first line is not JSON, but looks like another format; otherwise nil.
    static func refusal(
        ofJSON input: DocumentInput, limits: PropertyListLimits
    ) throws(PropertyListError) -> PropertyListError? {
        let head = try input.bytes(first: 4_096)
        let text = TextEncoding.characters(of: head.span)
        guard let other = OtherFormat(text[...]) else { return nil }
        let line = 1 + text.prefix { $0 <= 0x20 }.count { $0 == 0x0A }
        var survey = NaturalSurvey()
        do throws(PropertyListError) {
            try JSONPropertyListReader.read(input, limits: limits, into: &survey)
        } catch {
            if case .text(line, _)? = error.position { return other.refusal }
        }
        return nil
    }

    var refusal: PropertyListError {
        switch self {
        case .toml: Self.other("TOML", command: "yq -p toml -o json")
        case .yaml: Self.other("YAML", command: "yq -o json")
        case .table:
            PropertyListError(
                reason:
                    "it looks like a table of separated values; give it a name that ends in .csv or .tsv, or name it in 'Records'"
            )
        }
    }

    private static func other(_ name: String, command: String) -> PropertyListError {
        PropertyListError(reason: "it looks like \(name), which is not read; convert it to JSON, as with \(command)")
    }

    /// Whether a line is the head of a table, `[owner.name]`, or an entry, `name = "text"`. An OpenStep entry ends with
    /// a semicolon.
    private static func isTOML(_ line: String) -> Bool {
        if line.wholeMatch(of: /\[\[?\s*[A-Za-z_][A-Za-z0-9_."-]*\s*\]\]?\s*(#.*)?/) != nil {
            return !["[true]", "[false]", "[null]"].contains(line)
        }
        return line.wholeMatch(of: /[A-Za-z0-9_.-]+\s*=\s*("|'|\[|[0-9+-]|true|false|\{).*/) != nil
            && !line.hasSuffix(";")
    }

    /// Whether a line is the beginning of a YAML document, an element, or an entry.
    private static func isYAML(_ line: String) -> Bool {
        line == "---" || line.hasPrefix("--- ") || line.hasPrefix("%YAML")
            || line.wholeMatch(of: /- [^,]*/) != nil || line.wholeMatch(of: /[A-Za-z_"'][^,;\t{}\[\]]*:(\s.*)?/) != nil
    }

    /// Whether a line has at least two cells, and does not begin like another syntax.
    private static func isTable(_ line: String) -> Bool {
        guard let first = line.utf8.first, !"{[<(/".utf8.contains(first) else { return false }
        return ",;\t".contains { separator in
            line.split(separator: separator, omittingEmptySubsequences: false).count > 1
        }
    }
}
