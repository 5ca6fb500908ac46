internal import Bytes
internal import PropertyLists

extension TreeBuilder {
    /// An open container of the document.
    struct Frame {
        enum Kind {
            /// A dictionary that is an item.
            case item
            /// An array whose elements are items.
            case rows
            /// An array whose elements are sections.
            case sectionList
            /// A dictionary that is a section.
            case sectionDictionary
            /// A dictionary of sections by name.
            case namedSections
            /// Containers within fields.
            case dictionary, array
        }

        var kind: Kind
        let position: SourcePosition
        /// The number of the first field.
        let fieldBase: Int
        /// Where its bytes begin.
        var start: Int
        /// The number of the first row.
        var rowBase: Int

        // Items
        /// The number of the field that is the title, and the place of its name among those of the role.
        var titleField: Int?
        var titleRank = Int.max
        var keyField: Int?
        var keyRank = Int.max
        /// The field that holds the level.
        var holderField: Int?
        var form = LevelForm.rows
        /// The root, if the document is an array.
        var isBareArray = false

        // Rows
        /// Whether the first element has said what the array holds.
        var isDecided = false
        var isSection = false
        var acceptsSectionDictionaries = false

        /// What few frames need, apart so that a frame is cheap to make and to copy.
        var branch: BranchState?

        init(_ kind: Kind, at position: SourcePosition, fieldBase: Int, start: Int, rowBase: Int = 0) {
            self.kind = kind
            self.position = position
            self.fieldBase = fieldBase
            self.start = start
            self.rowBase = rowBase
        }

        /// The same, made when first needed.
        mutating func needBranch() -> BranchState {
            if let branch { return branch }
            let made = BranchState()
            branch = made
            return made
        }
    }

    /// The parts of a frame that only branches and sections have.
    final class BranchState {
        var level: Level?
        /// Rows in sections, until the item's end determines their order and titles.
        var batch: SectionedRows?
        /// The sections read so far.
        var sections: [Section] = []
        /// The number of the last section of each name, and those whose name came again.
        var sectionNumbers: [[UInt8]: Int] = [:]
        var repeatedSections: Set<Int> = []
        /// The section that this dictionary is.
        var section = Section(start: 0, count: 0)
        /// The name of the section to come, or the key of the section's text to come.
        var name = ""
        var hasRows = false
    }

    /// The key of the field that holds an item's level, or a section's rows.
    func holderName(of frame: Frame) -> String {
        if frame.kind == .sectionDictionary, let branch = frame.branch { return branch.name }
        return frame.holderField.map { String(utf8: fields.bytes.span.extracting(fields.start($0).name)) } ?? "Children"
    }

    /// The titles from the root to the innermost open item, as `/Item 4/Screen G`; `/` at the root.
    public func currentPath() -> String? {
        guard !frames.isEmpty else { return nil }
        var titles: [String] = []
        for (number, frame) in frames.enumerated().dropFirst() where frame.kind == .item {
            titles.append(title(of: frame).map { QuotedText($0).description } ?? untitledStep(number))
        }
        return TitlePath.joined(titles)
    }

    /// The number of an item whose title is not known yet, and its first distinguishing field.
    private func untitledStep(_ number: Int) -> String {
        let frame = frames[number]
        let row = frame.rowBase - (frames[..<number].last { $0.kind == .rows }?.rowBase ?? 0) + 1
        let isInnermost = number == frames.count - 1
        // The last field of an outer item holds what is being read.
        let end = isInnermost ? fields.count : frames[number + 1].fieldBase - 1
        var known: String?
        for field in frame.fieldBase..<max(end, frame.fieldBase) where field != frame.holderField {
            let start = fields.start(field)
            guard start.name.upperBound < fields.bytes.count, let text = fields.scalarText(at: start.name.upperBound),
                !text.isEmpty
            else { continue }
            known = "\(quoted: fields.bytes.span.extracting(start.name)) '\(quoted: text)'"
            break
        }
        return "(item \(row)\(known.map { ", \($0)" } ?? ""))"
    }

    private func title(of frame: Frame) -> String? {
        guard let field = frame.titleField ?? frame.keyField, field < fields.count else { return nil }
        let value = fields.start(field).name.upperBound
        return value < fields.bytes.count ? fields.scalarText(at: value) : nil
    }

    /// The error for a document without a level; its callers look for names that would make one.
    static func noLevel(_ what: String) -> PropertyListError {
        PropertyListError(
            "the document is \(what); it must be an array of items, or a dictionary with 'Rows', 'Children' or 'Sections'"
        )
    }

    /// The error for an array among the rows of a section, worded as a section only if the document names it so.
    var arrayAmongRows: PropertyListError {
        if let owner = frames.dropLast().last, owner.kind == .sectionList, !owner.acceptsSectionDictionaries {
            return PropertyListError(
                "arrays nest at most two deep, as sections and their rows; a row is a string or a dictionary, not an array"
            )
        }
        return PropertyListError("an array appears among the rows of a section; a row is a string or a dictionary")
    }

    func wrongValue(_ what: String) -> PropertyListError {
        let holder = frames.isEmpty ? "Children" : holderName(of: frames[frames.count - 1])
        return switch role {
        case .title: PropertyListError("a title must be text, a number or a date, not \(what)")
        case .key: PropertyListError("a Key must be text, not \(what)")
        case .children: PropertyListError("'\(quoted: holder)' must be an array of items, not \(what)")
        case .sections:
            PropertyListError(
                "'\(quoted: holder)' must be an array of sections or a dictionary of arrays, not \(what)")
        case .sectionKeys: PropertyListError("'SectionKeys' must be an array of names, not \(what)")
        case .sectionTitles: PropertyListError("'SectionTitles' must be an array of titles, not \(what)")
        case nil: PropertyListError("\(what) is not allowed here")
        }
    }
}
