internal import Bytes

/// Counts the rows of a document that resembles a document of items, and the items among these rows. The counts decide
/// whether the document is read as a document of items (manual, Documents).
///
/// The census follows the events of the document with its own stack of containers.
struct ItemCensus {
    /// The number of rows, and the number of items among them.
    struct Count {
        var rows = 0
        /// Strings, and dictionaries with a `Title` or a `Key`.
        var strings = 0
        var dictionaries = 0

        static func += (count: inout Count, other: Count) {
            count.rows += other.rows
            count.strings += other.strings
            count.dictionaries += other.dictionaries
        }
    }

    private enum Role {
        /// The root, an item or a section: a dictionary that may have lists of rows.
        case holder
        /// A list of rows, which is a list of sections if all of its elements are arrays.
        case rows
        /// An array in a list of rows: a section, if all others are arrays, too.
        case sectionRows
        /// `Sections`: an array or a dictionary.
        case sections
    }

    private struct Container {
        let role: Role
        let isDictionary: Bool
        var name = Name.other
        var isItem = false
        var elements = 0
        var arrays = 0
        /// The rows in the container. The rows in its arrays are counted separately, because the arrays may be
        /// sections.
        var count = Count()
        var inSections = Count()
    }

    private enum Name {
        case title, key, rows, sections, records, drillBy, preferenceSpecifiers, other

        init(_ name: Span<UInt8>) {
            self =
                switch name.count {
                case 3 where name.isEqual(to: "Key"): .key
                case 4 where name.isEqual(to: "Rows"): .rows
                case 5 where name.isEqual(to: "Title"): .title
                case 7 where name.isEqual(to: "Records"): .records
                case 7 where name.isEqual(to: "DrillBy"): .drillBy
                case 8 where name.isEqual(to: "Children"): .rows
                case 8 where name.isEqual(to: "Sections"): .sections
                case 20 where name.isEqual(to: "PreferenceSpecifiers"): .preferenceSpecifiers
                default: .other
                }
        }
    }

    /// The open containers that have a role.
    private var open: [Container] = []
    /// The number of open containers without a role. All containers in such a one have none, too.
    private var others = 0
    private var count = Count()
    /// Whether the root has a list of rows, or `Sections`.
    private var looksLikeItems = false
    private var hasRecords = false
    private var hasDrillBy = false
    private var hasSpecifiers = false

    /// Whether the document is a document of items.
    var isOfItems: Bool {
        if hasSpecifiers || hasRecords && hasDrillBy { return true }
        guard looksLikeItems else { return false }
        let items = count.strings + count.dictionaries
        return count.strings == count.rows || count.dictionaries > 0 && 2 * items >= count.rows
    }

    /// Whether each row of the document is an item.
    var hasItemsOnly: Bool { looksLikeItems && count.strings + count.dictionaries == count.rows }

    /// Whether the document has the lists of a document of items.
    var resemblesItems: Bool { looksLikeItems }

    // MARK: Events

    mutating func begin(isDictionary: Bool) {
        guard others == 0 else {
            others += 1
            return
        }
        if let last = open.indices.last {
            open[last].elements += 1
            if !isDictionary { open[last].arrays += 1 }
            if open.count == 1, open[0].isDictionary {
                if open[0].name == .rows, !isDictionary { looksLikeItems = true }
                if open[0].name == .sections, !isDictionary { looksLikeItems = true }
            }
        } else {
            looksLikeItems = !isDictionary
        }
        guard let role = role(isDictionary: isDictionary) else {
            others = 1
            return
        }
        open.append(Container(role: role, isDictionary: isDictionary))
    }

    /// The role of the container that begins; nil for one without.
    private func role(isDictionary: Bool) -> Role? {
        guard let parent = open.last else { return isDictionary ? .holder : .rows }
        switch parent.role {
        case .holder where parent.name == .rows && !isDictionary: return .rows
        case .holder where parent.name == .sections: return .sections
        case .rows: return isDictionary ? .holder : .sectionRows
        case .sectionRows: return isDictionary ? .holder : nil
        case .sections: return isDictionary ? .holder : .sectionRows
        case .holder: return nil
        }
    }

    mutating func key(_ name: Span<UInt8>) {
        let last = open.count - 1
        guard others == 0, open[last].role == .holder || open[last].role == .sections else { return }
        let name = Name(name)
        open[last].name = name
        if name == .title || name == .key { open[last].isItem = true }
        guard last == 0 else { return }
        switch name {
        case .records: hasRecords = true
        case .drillBy: hasDrillBy = true
        case .preferenceSpecifiers: hasSpecifiers = true
        case .title, .key, .rows, .sections, .other: break
        }
    }

    mutating func scalar(isString: Bool) {
        guard others == 0, let last = open.indices.last else { return }
        open[last].elements += 1
        guard open[last].role == .rows || open[last].role == .sectionRows else { return }
        open[last].count.rows += 1
        if isString { open[last].count.strings += 1 }
    }

    mutating func end() {
        guard others == 0 else {
            others -= 1
            return
        }
        let container = open.removeLast()
        var total = container.count
        if container.role == .rows {
            if container.elements > 0, container.arrays == container.elements {
                total = container.inSections
            } else {
                total.rows += container.arrays
            }
        } else if container.role == .sectionRows {
            total.rows += container.arrays
        }
        guard let last = open.indices.last else {
            count = total
            return
        }
        if last == 0, container.role == .sections, container.isDictionary {
            // A dictionary of sections has arrays only.
            looksLikeItems = looksLikeItems || container.arrays == container.elements
        }
        let parent = open[last].role
        if container.role == .holder, parent == .rows || parent == .sectionRows {
            total.rows += 1
            if container.isItem { total.dictionaries += 1 }
        }
        if container.role == .sectionRows, parent == .rows {
            open[last].inSections += total
        } else {
            open[last].count += total
        }
    }
}
