extension Row {
    /// The members that few rows have, kept apart so that all others stay small.
    final class Extras: Hashable, Sendable {
        struct Values: Hashable, Sendable {
            /// The link of a row among rows of several levels, where its key alone does not identify it.
            var href: String?
            var fieldsVersion: ItemVersion?
            var control: Control?
            var error: String?
            var trail: [String]?
            var indent: Int?
            var isExpanded = false
            var isFirst = false
            var isLast = false
        }

        let values: Values

        init(_ values: Values) { self.values = values }

        static func == (left: Extras, right: Extras) -> Bool { left === right || left.values == right.values }

        func hash(into hasher: inout Hasher) { hasher.combine(values) }
    }
}
