import Levels
import PropertyLists

extension RecordChoice {
    /// Returns a sentence with the fields that became the titles and levels of a table, and with the command to choose
    /// other fields.
    ///
    /// - Parameters:
    ///   - command: the command that reads the table.
    ///   - source: the document as the user named it.
    func sentence(_ command: CommandLineArguments.Command, source: String) -> String {
        let title = hasTitles ? "titled by '\(quoted: drilling.titleField)'" : "titled by their numbers"
        let levels = drilling.fields.map { "'\(quoted: $0)'" }.joined(separator: ", ")
        let drilled = levels.isEmpty ? "" : ", drilled by \(levels)"
        return "\(Quantity(count: records, noun: "record")), \(title)\(drilled)"
            + (advice(command, source: source).map { "; \($0)" } ?? "")
    }

    /// Returns the advice to choose other fields. Returns nil if all fields were named, or if the table lacks
    /// alternatives.
    private func advice(_ command: CommandLineArguments.Command, source: String) -> String? {
        var words = [command.rawValue, source]
        if isTitleGiven {
            words += ["--title-by", drilling.titleField]
        } else if let otherTitle {
            words += ["--title-by", otherTitle]
        }
        if !drilling.fields.isEmpty {
            words += ["--drill-by", drilling.fields.joined(separator: ",")]
        } else if !self.levels.isEmpty {
            words += ["--drill-by", self.levels.joined(separator: ",")]
        }
        let hasOther = !isTitleGiven && otherTitle != nil || drilling.fields.isEmpty && !self.levels.isEmpty
        return hasOther ? "to choose otherwise: \(SuggestedCommand.shellText(of: words, program: "drilldown"))" : nil
    }
}
