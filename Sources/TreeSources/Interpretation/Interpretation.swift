internal import Files
internal import Heap
public import Levels
public import PropertyLists

/// The rules by which the bytes of a document become a tree: shape, names and limits. The rules do not depend on the
/// source of the bytes.
///
///     let interpretation = Interpretation(names: try StructuralNames(mapping: "title=name,children=entries"))
public struct Interpretation: Sendable {
    /// The meaning of a document's dictionaries and arrays.
    public enum Shape: String, Sendable, CaseIterable {
        /// `items` if the document has items, otherwise `natural`.
        case auto
        /// Items are dictionaries with a title, and strings (manual, Documents).
        case items
        /// The document's own lists and dictionaries are levels (manual, Documents as they are).
        case natural
        /// Every entry and every element is an item.
        case any
        /// The tables of a database are levels, and their records are rows.
        case tables
    }

    /// The meaning of dictionaries and arrays.
    public var shape: Shape
    /// The structural keys of the shape `items`.
    public var names: StructuralNames
    /// The options for a document that is a table; nil for a document that is mounted, which must have items.
    public var records: RecordOptions?
    /// The size and depth limits of the tree.
    public var treeLimits: TreeLimits
    /// The size and depth limits of the property list.
    public var propertyListLimits: PropertyListLimits
    /// The maximum size of a document in bytes; a larger document is refused.
    public var maximumBytes: Int
    /// Receives the progress of loads, if set.
    public var progress: LoadProgress?
    /// Opens the databases that items name, if set.
    public var openDatabase: DatabaseOpener?

    /// Opens a database. The arguments are the path of its file (nil for a database on a server), its address as the
    /// document writes it, and the reference, which selects the part to show.
    public typealias DatabaseOpener =
        @Sendable (_ path: String?, _ address: String, _ reference: DatabaseReference) throws(SourceError) ->
        any RowsElsewhere

    /// The default of `maximumBytes`: 2 GiB.
    public static let defaultMaximumBytes = 2 << 30

    /// Creates an interpretation. By default, a document has items, with the names and limits of the manual.
    public init(
        shape: Shape = .items, names: StructuralNames = .init(), treeLimits: TreeLimits = .init(),
        propertyListLimits: PropertyListLimits = .init(), maximumBytes: Int = defaultMaximumBytes
    ) {
        self.shape = shape
        self.names = names
        self.treeLimits = treeLimits
        self.propertyListLimits = propertyListLimits
        self.maximumBytes = maximumBytes
    }

    /// Reads a document. The syntax is detected from the content.
    ///
    /// - Parameters:
    ///   - name: the document's name in errors and warnings.
    ///   - hint: the format that the document's origin suggests; nil for the hint of its name.
    ///   - pool: levels to share if their content is equal.
    func load(
        _ file: borrowing DocumentFile, named name: String, hint: FormatHint? = nil, pool: LevelPool?
    ) throws(SourceError) -> LoadedTree {
        do throws(PropertyListError) {
            let hint = hint ?? FormatHint(fileName: name)
            var table: TableSyntax?
            if records != nil { table = try tableSyntax(of: file.input, hint: hint, name: name) }
            let syntax: TableSyntax
            if let table {
                syntax = table
            } else {
                syntax = .propertyList(try SyntaxCheck.syntax(of: file.head(), name: name))
            }
            let tree = try withReservation(for: input(of: file, named: name)) { (input) throws(PropertyListError) in
                if let table, let records, shape == .auto || shape == .natural, records.drillFields.isEmpty {
                    return try readTable(input, as: table, by: records, pool: pool)
                }
                if table != nil, let records {
                    return try RecordTable.document(
                        of: input, syntax: syntax, options: records, interpretation: self, pool: pool)
                }
                return try self.tree(of: input, as: syntax, pool: pool)
            }
            return LoadedTree(tree: tree, of: file, named: name, syntax: syntax.propertyList)
        } catch {
            throw SourceError(name, error: error)
        }
    }

    /// The syntax of a document that is a table according to its format or to the options; nil for other documents.
    private func tableSyntax(
        of input: DocumentInput, hint: FormatHint, name: String
    ) throws(PropertyListError) -> TableSyntax? {
        guard [.items, .auto, .natural].contains(shape), records?.isEmpty == false else {
            return try TableSyntax.ofTable(input, hint: hint, name: name)
        }
        return try TableSyntax(of: input, hint: hint, name: name)
    }

    /// The bytes of a file, as the input of a reader. Begins a new step of the progress.
    func input(of file: borrowing DocumentFile, named name: String) -> DocumentInput {
        .file(
            descriptor: file.descriptor, size: file.identity.size,
            progress: progress?.beginFile(name, bytes: file.identity.size))
    }

    /// The same rules for a document that is read as it is, whatever it has become by an edit.
    var asItIs: Interpretation {
        var interpretation = self
        interpretation.shape = .natural
        return interpretation
    }

    /// Reads a document that is not a table.
    package func read(
        _ input: DocumentInput, as syntax: PropertyListSyntax, pool: LevelPool?
    ) throws(PropertyListError) -> Tree {
        try withReservation(for: input) { (input) throws(PropertyListError) in
            try tree(of: input, as: .propertyList(syntax), pool: pool)
        }
    }

    private func withReservation(
        for input: DocumentInput, _ read: (DocumentInput) throws(PropertyListError) -> Tree
    ) throws(PropertyListError) -> Tree {
        let refusals = MemoryBudget.refusals
        let reservation = try reservation(for: input)
        defer { withExtendedLifetime(reservation) {} }
        let tree = try read(input)
        guard refusals == MemoryBudget.refusals else { throw .outOfMemory }
        return tree
    }

    /// Reserves about as much memory as the tree will take, or nothing for a small document. The builder checks any
    /// further memory while the tree grows.
    private func reservation(for input: DocumentInput) throws(PropertyListError) -> MemoryReservation? {
        guard input.size >= Self.smallDocument else { return nil }
        guard let reservation = MemoryBudget.reserve(input.size) else {
            throw PropertyListError(shortage: MemoryBudget.shortage(of: input.size))
        }
        return reservation
    }

    /// The size from which a document is read with a reservation, in bytes.
    private static let smallDocument = 1 << 20

    private func tree(
        of input: DocumentInput, as syntax: TableSyntax, pool: LevelPool?
    ) throws(PropertyListError) -> Tree {
        guard case .propertyList(let propertyList) = syntax else {
            return try readAsItIs(input, as: syntax, by: try survey(input, as: syntax), pool: pool)
        }
        switch shape {
        case .any: return try readAnyShape(input, as: propertyList, pool: pool)
        case .natural:
            let survey = try survey(input, as: syntax, names: names, keeping: pool?.kept)
            return try readAsItIs(input, as: syntax, by: survey, pool: pool)
        case .auto where records != nil && names == StructuralNames():
            return try readByContent(input, as: propertyList, pool: pool)
        case .auto where records == nil: return try readPart(input, as: propertyList, pool: pool)
        case .auto, .items, .tables: return try readItemsOrAdvise(input, as: propertyList, pool: pool)
        }
    }

    /// Reads a document that must have items. The refusal of another document names the shape that serves it.
    private func readItemsOrAdvise(
        _ input: DocumentInput, as syntax: PropertyListSyntax, pool: LevelPool?
    ) throws(PropertyListError) -> Tree {
        do throws(PropertyListError) { return try readItems(input, as: syntax, pool: pool) } catch {
            guard !error.isOutOfMemory, !error.reason.hasSuffix("?"), !isOfItems(input, as: syntax) else { throw error }
            throw Self.advising(error)
        }
    }

    /// A refusal that names the shape that serves the document.
    private static func advising(_ error: PropertyListError) -> PropertyListError {
        PropertyListError(
            reason: error.reason + "; --shape natural serves the document as it is", at: error.position,
            path: error.path)
    }

    /// Whether a document has items, or is not of its syntax.
    private func isOfItems(_ input: DocumentInput, as syntax: PropertyListSyntax) -> Bool {
        do throws(PropertyListError) { return try survey(input, as: .propertyList(syntax)).isOfItems } catch {
            return true
        }
    }

    /// Reads a mounted document. It must have items, or only fields.
    private func readPart(
        _ input: DocumentInput, as syntax: PropertyListSyntax, pool: LevelPool?
    ) throws(PropertyListError) -> Tree {
        do throws(PropertyListError) {
            return try readItems(input, as: syntax, pool: pool, mostBytesBeforeRows: Self.mostBytesBeforeRows)
        } catch {
            guard !error.isOutOfMemory else { throw error }
            let table = TableSyntax.propertyList(syntax)
            let survey = try survey(input, as: table)
            if survey.isOfItems { return try readItems(input, as: syntax, pool: pool) }
            guard survey.hasFieldsOnly else { throw error }
            return try readAsItIs(input, as: table, by: survey, pool: pool)
        }
    }

    /// Reads a document of items, and any other document as it is. A document that was read before keeps its shape: a
    /// document of items always, and another one until each of its rows is an item.
    private func readByContent(
        _ input: DocumentInput, as syntax: PropertyListSyntax, pool: LevelPool?
    ) throws(PropertyListError) -> Tree {
        let old = pool?.document
        if let old, !old.form.isNatural, old.itemCount > 1 { return try readItems(input, as: syntax, pool: pool) }
        let table = TableSyntax.propertyList(syntax)
        if old?.form.isNatural == true {
            let survey = try survey(input, as: table, keeping: pool?.kept)
            guard !survey.hasItemsOnly else { return try readItems(input, as: syntax, pool: pool) }
            return try readAsItIs(input, as: table, by: survey, pool: pool)
        }
        let refusal: PropertyListError
        do throws(PropertyListError) {
            return try readItems(input, as: syntax, pool: pool, mostBytesBeforeRows: Self.mostBytesBeforeRows)
        } catch {
            guard !error.isOutOfMemory else { throw error }
            refusal = error
        }
        let survey: NaturalReading
        do throws(PropertyListError) { survey = try self.survey(input, as: table) } catch {
            // An error of the syntax has titles as its path if the document has items up to it.
            throw error.position == refusal.position ? refusal : error
        }
        guard survey.isOfItems || survey.resemblesItems else {
            return try readAsItIs(
                input, as: table, by: survey, pool: pool, refusal: Self.namesSlip(refusal) ? refusal : nil)
        }
        do throws(PropertyListError) { return try readItems(input, as: syntax, pool: pool) } catch {
            guard !error.isOutOfMemory else { throw error }
            guard !survey.isOfItems else {
                // Some rows may be meant to be no items, such as the leaves of a browser's bookmarks.
                let isOpen = !survey.hasItemsOnly && error.reason.contains("an item") && !error.reason.hasSuffix("?")
                throw isOpen ? Self.advising(error) : error
            }
            return try readAsItIs(input, as: table, by: survey, pool: pool, refusal: error)
        }
    }

    /// Whether a refusal asks for a name that is one slip away from one in the document. Names that differ only in case
    /// are those of other documents.
    private static func namesSlip(_ refusal: PropertyListError) -> Bool {
        guard let names = refusal.reason.firstMatch(of: /'([^']*)'; did you mean '([^']*)'\?$/) else { return false }
        return names.1.lowercased() != names.2.lowercased()
    }

    /// The size of a root's own fields that is read before a survey tells whether rows follow.
    private static let mostBytesBeforeRows = 64 << 10

    private func readItems(
        _ input: DocumentInput, as syntax: PropertyListSyntax, pool: LevelPool?, mostBytesBeforeRows: Int? = nil
    ) throws(PropertyListError) -> Tree {
        var builder = TreeBuilder(
            names: names, limits: treeLimits, isXML: syntax == .xml, pool: pool, progress: progress?.counts)
        builder.mostBytesBeforeRows = mostBytesBeforeRows
        try syntax.read(input, limits: propertyListLimits, into: &builder)
        return try builder.finish()
    }

    /// Reads a document that is a table as it is.
    private func readTable(
        _ input: DocumentInput, as syntax: TableSyntax, by options: RecordOptions, pool: LevelPool?
    ) throws(PropertyListError) -> Tree {
        var names = shape == .natural ? names : StructuralNames()
        if let field = options.titleField { names.give([field], as: .title) }
        if let field = options.keyField { names.give([field], as: .key) }
        let survey = try survey(input, as: syntax, names: names, keeping: pool?.kept)
        var tree = try readAsItIs(input, as: syntax, by: survey, pool: pool)
        try tree.checkFields(options.fields)
        if case .propertyList = syntax { return tree }
        tree.isTable = true
        return tree
    }

    func survey(
        _ input: DocumentInput, as syntax: TableSyntax, names: StructuralNames = .init(),
        keeping earlier: KeptReading? = nil
    ) throws(PropertyListError) -> NaturalReading {
        var survey = NaturalSurvey(names: names, keeping: earlier)
        try syntax.read(input, limits: propertyListLimits, into: &survey)
        return survey.finish()
    }

    /// Reads a document by the outcome of its survey.
    ///
    /// - Parameter refusal: why the document is not a document of items.
    private func readAsItIs(
        _ input: DocumentInput, as syntax: TableSyntax, by survey: NaturalReading, pool: LevelPool?,
        refusal: PropertyListError? = nil
    ) throws(PropertyListError) -> Tree {
        var builder = NaturalTreeBuilder(
            survey, limits: treeLimits, isXML: syntax == .propertyList(.xml), pool: pool, keeping: pool?.kept,
            progress: progress?.counts)
        if let refusal, let position = refusal.position {
            builder.warn(
                refusal.reason + (refusal.reason.hasSuffix("?") ? " The document" : "; so the document")
                    + " is read as it is, and --shape items would refuse it",
                at: position, path: refusal.path)
        }
        try syntax.read(input, limits: propertyListLimits, into: &builder)
        var tree = try builder.finish()
        tree.refusalAsItems = refusal?.reason
        return tree
    }

    private func readAnyShape(
        _ input: DocumentInput, as syntax: PropertyListSyntax, pool: LevelPool?
    ) throws(PropertyListError) -> Tree {
        var builder = AnyTreeBuilder(limits: treeLimits, isXML: syntax == .xml, pool: pool, progress: progress?.counts)
        try syntax.read(input, limits: propertyListLimits, into: &builder)
        return try builder.finish()
    }
}

extension LoadedTree {
    /// Creates the result of reading a file.
    init(tree: Tree, of file: borrowing DocumentFile, named name: String, syntax: PropertyListSyntax) {
        self.init(
            tree: tree, fingerprint: Fingerprint(file.identity), syntax: syntax,
            warnings: tree.warnings.first.map { SourceWarning(name, warning: $0) },
            omittedWarnings: tree.warnings.omitted,
            identity: file.identity)
    }
}
