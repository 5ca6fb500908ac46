internal import Levels
internal import PropertyLists

/// Suggests structural names for a document. Each mapping is tried on the document before it is suggested.
///
/// The cost is bounded: a document is read again only a few times, and a large document even fewer times.
struct NamesAdvice {
    let input: DocumentInput
    let syntax: PropertyListSyntax
    let interpretation: Interpretation

    /// The maximum number of bytes to read, and the maximum number of mappings to try, for one suggestion.
    private static let mostBytes = 512 << 20
    private static let mostTrials = 6
    /// The maximum size of a document that is read again for a warning.
    private static let mostBytesServed = 32 << 20

    /// Surveys the keys of the document.
    ///
    /// - Throws: `PropertyListError` if the document is not of its syntax.
    func survey() throws(PropertyListError) -> KeySurvey {
        var survey = KeySurvey()
        try syntax.read(input, limits: interpretation.propertyListLimits, into: &survey)
        return survey
    }

    // MARK: Tables

    /// Whether to try to read a document as a table. The document must be an array whose elements lack titles and
    /// keys, and lack lists that could be levels under other names.
    func suggestsTable(_ survey: KeySurvey) -> Bool {
        guard interpretation.names == StructuralNames() else { return false }
        let known = interpretation.names[.title] + interpretation.names[.key]
        guard survey.root == .array, !known.contains(where: { survey.groups[0].uses[$0] != nil }) else { return false }
        return !NamesSuggestion(survey: survey, names: interpretation.names).mapsLists
    }

    // MARK: Refused documents

    /// The advice at the end of the sentence that refuses a document; nil without a suggestion.
    ///
    /// - Parameter isExplained: whether the fault is known: a misspelt structural name, or a fault of a table.
    func onRefusal(isExplained: Bool) -> String? {
        let survey: KeySurvey
        do throws(PropertyListError) { survey = try self.survey() } catch { return nil }
        let suggestion = NamesSuggestion(survey: survey, names: interpretation.names)
        if isExplained, !suggestion.mapsTitles || suggestion.titles.isEmpty { return nil }
        let anyShape = fitsAnyShape(survey) ? "--shape any serves any property list" : nil
        let mapping = fitting(suggestion).map(Self.words)
        if mapping == nil, isExplained || !suggestion.mapsTitles && !lacksRows(survey) { return nil }
        let advice = [mapping, anyShape].compactMap(\.self).joined(separator: ", and ")
        return advice.isEmpty ? nil : advice
    }

    /// Whether the root is a dictionary without any of the expected names.
    private func lacksRows(_ survey: KeySurvey) -> Bool {
        let holders = interpretation.names[.children] + interpretation.names[.sections]
        return survey.root == .dictionary && !holders.contains { survey.groups[0].uses[$0] != nil }
    }

    /// Whether every value but the root could be an item.
    private func fitsAnyShape(_ survey: KeySurvey) -> Bool {
        survey.depth <= interpretation.treeLimits.depth && survey.values - 1 <= interpretation.treeLimits.items
    }

    /// The first names with which the document loads. If an item lacks a title, the names of the item's texts are tried
    /// as names for titles.
    private func fitting(_ suggestion: NamesSuggestion) -> StructuralNames? {
        var trials = min(Self.mostTrials, Self.mostBytes / max(input.size, 1))
        for candidate in suggestion.candidates where Self.canBeWritten(candidate) {
            var names: StructuralNames? = candidate
            while let tried = names, trials > 0 {
                trials -= 1
                switch outcome(with: tried) {
                case .loads where tried == interpretation.names: names = nil
                case .loads: return tried
                case .lacksTitle(let item): names = suggestion.adding(item, to: tried)
                case .refused: names = nil
                }
            }
        }
        return nil
    }

    // MARK: Served documents

    /// Adds suggested names to the warnings about rows that are not in the tree.
    func onStrayRows(of tree: inout Tree) {
        let names = tree.strayRows.filter { $0.meant == nil }.map(\.name)
        guard !names.isEmpty, input.size <= Self.mostBytesServed else { return }
        var trials = names.count > 1 ? [names] : []
        trials += names.map { [$0] }
        for names in trials.prefix(Self.mostTrials) {
            guard let mapping = mapping(serving: names) else { continue }
            for number in tree.strayRows.indices where names.contains(tree.strayRows[number].name) {
                if tree.strayRows[number].advice == nil { tree.strayRows[number].advice = mapping }
            }
            if names.count > 1 { return }
        }
    }

    private func mapping(serving lists: [String]) -> String? {
        let known = interpretation.names
        guard let names = known.replacing(.children, with: known[.children] + lists), Self.canBeWritten(names),
            case .loads = outcome(with: names)
        else { return nil }
        return Self.words(for: names)
    }

    // MARK: Words

    private static func words(for names: StructuralNames) -> String {
        names.mapping.isEmpty ? "this document may not need --keys" : "here --keys \(quoted(names.mapping)) may fit"
    }

    /// Whether a mapping can express these names. A mapping cannot express a name that contains one of its separators.
    private static func canBeWritten(_ names: StructuralNames) -> Bool {
        let mapping = names.mapping
        guard !mapping.isEmpty else { return true }
        guard !mapping.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "'") }) else { return false }
        do throws(StructuralNamesError) {
            let read = try StructuralNames(mapping: mapping)
            return read == names
        } catch {
            return false
        }
    }

    /// A mapping, quoted for a shell.
    private static func quoted(_ mapping: String) -> String {
        let isPlain = mapping.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "=,-_.".utf8.contains(byte)
            }
        }
        return isPlain ? mapping : "'\(mapping)'"
    }

    // MARK: Trials

    private enum Outcome {
        case loads
        case lacksTitle(UntitledItem)
        case refused
    }

    private func outcome(with names: StructuralNames) -> Outcome {
        var builder = TreeBuilder(names: names, limits: interpretation.treeLimits, isXML: syntax == .xml)
        do throws(PropertyListError) {
            try syntax.read(input, limits: interpretation.propertyListLimits, into: &builder)
            return .loads
        } catch {
            return builder.untitledItem.map { .lacksTitle($0) } ?? .refused
        }
    }
}
