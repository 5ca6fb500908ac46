internal import DatabaseTrees

/// The rows of a page that refer to other records, with the values by which they refer.
struct ReferringRows {
    /// The foreign keys by which the rows refer.
    private(set) var keys: [ForeignKey] = []
    /// The numbers of the rows on the page.
    private(set) var numbers: [Int] = []
    /// For each row, the values of the columns of each foreign key.
    private var values: [DatabaseValue] = []
    /// The places of the values of each foreign key among the values of a row.
    private var places: [Range<Int>] = []

    mutating func add(_ row: ResultRow, number: Int, references: [(key: ForeignKey, places: [Int32])]) {
        if keys.isEmpty {
            keys = references.map(\.key)
            for key in keys {
                let start = places.last?.upperBound ?? 0
                places.append(start..<start + key.columns.count)
            }
        }
        numbers.append(number)
        for reference in references {
            for place in reference.places { values.append(row.value(place)) }
        }
    }

    /// The first of the values by which a row refers; nil if one of them is NULL.
    func value(of key: Int, at index: Int) -> DatabaseValue? {
        let start = index * (places.last?.upperBound ?? 0)
        let range = places[key].lowerBound + start..<places[key].upperBound + start
        return values[range].contains(.null) ? nil : values[range.lowerBound]
    }

    /// The different values by which rows refer.
    func values(of key: Int) -> [DatabaseValue] { Array(Set(numbers.indices.compactMap { value(of: key, at: $0) })) }

    /// Returns the rows in another order.
    ///
    /// - Parameter order: the numbers of the rows in the new order; nil for a row that is no record.
    func arranged(as order: [Int?]) -> ReferringRows {
        var arranged = self
        (arranged.numbers, arranged.values) = ([], [])
        let width = places.last?.upperBound ?? 0
        let indices = Dictionary(zip(numbers, numbers.indices)) { first, _ in first }
        for (number, old) in order.enumerated() {
            guard let index = old.flatMap({ indices[$0] }) else { continue }
            arranged.numbers.append(number)
            arranged.values += values[index * width..<(index + 1) * width]
        }
        return arranged
    }
}
