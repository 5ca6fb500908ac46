internal import Bytes
internal import PropertyLists

/// The level of a table: the values of the first field of `DrillBy`, below each those of the next, at the end the
/// records.
enum Facets: LevelStrategy {
    static func level(
        of rows: consuming SetAsideRows, in item: GatheredItem, _ builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level {
        let drilling = try builder.drilling(of: item)
        if !rows.rows.isEmpty { try builder.checkDepth(of: drilling, in: item) }
        try rows.becomeRecords(titledBy: drilling.titleField)
        var order = rows.rows.indices.map { UInt32($0) }
        var depths = [FacetGroups(starts: [0, order.count])]
        for field in drilling.fields {
            let groups = try FacetDivision.divide(depths[depths.count - 1], by: field, order: &order, of: rows)
            try builder.tree.count(made: groups.count)
            depths.append(groups)
        }
        if depths.count > 1 { rows.reorder(order.map(Int.init)) }
        return try builder.level(of: rows, in: depths)
    }
}

extension ListRule {
    /// `Records`, as an array.
    static let records = ListRule(kind: .records, elements: .records, form: .records, strategy: Facets.self)
}

extension TreeBuilder {
    /// The first of an item's levels, made from the deepest ones up.
    ///
    /// - Parameters:
    ///   - rows: the records, in the order of the deepest groups.
    ///   - depths: the groups of each depth, beginning with one of all records.
    fileprivate mutating func level(
        of rows: SetAsideRows, in depths: [FacetGroups]
    ) throws(PropertyListError) -> Level {
        var levels = try recordLevels(of: rows, in: depths[depths.count - 1])
        for depth in depths.indices.dropLast().reversed() {
            let groups = depths[depth + 1]
            var above: [Level] = []
            above.reserveCapacity(depths[depth].count)
            for group in 0..<depths[depth].count {
                let within = groups.groups(within: group)
                above.append(
                    try tree.level(
                        of: groups.rows.span.extracting(within), in: groups.bytes.span, children: Array(levels[within]),
                        form: .facets, at: rows.position))
            }
            levels = above
        }
        return levels[0]
    }

    private mutating func recordLevels(
        of rows: SetAsideRows, in groups: FacetGroups
    ) throws(PropertyListError) -> [Level] {
        var levels: [Level] = []
        levels.reserveCapacity(groups.count)
        var repeated: RepeatedTitle?
        for group in 0..<groups.count {
            let records = groups.records(of: group)
            levels.append(
                try tree.level(
                    of: rows.rows.span.extracting(records), in: rows.bytes.span, children: [], form: .records,
                    at: rows.position))
            repeated = repeated ?? tree.repeatedTitle
        }
        // One example will do: a table has as many levels as it has values.
        if let repeated { warn(repeated.messageAboutRecords, at: repeated.second ?? rows.position) }
        return levels
    }
}
