internal import DatabaseTrees

/// The rows of a page that refer to other records, with the values by which they refer.
struct ReferringRows {
    /// The foreign keys by which the rows refer.
    private(set) var keys: [ForeignKey] = []
    /// The numbers of the rows on the page.
    private(set) var numbers: [Int] = []
    /// For each foreign key, the different values of its first column.
    private(set) var values: [[DatabaseValue]] = []
    /// For each foreign key, the indices of its values.
    private var indices: [[DatabaseValue: Int]] = []
    /// For each row, the index of its value for each foreign key; -1 if a column of the foreign key is NULL.
    private var places: [Int32] = []

    mutating func add(_ row: ResultRow, number: Int, references: [(key: ForeignKey, places: [Int32])]) {
        if keys.isEmpty {
            keys = references.map(\.key)
            values = keys.map { _ in [] }
            indices = keys.map { _ in [:] }
        }
        numbers.append(number)
        for (key, reference) in references.enumerated() {
            let value = row.value(reference.places[0])
            guard value != .null, !reference.places.dropFirst().contains(where: { row.value($0) == .null }) else {
                places.append(-1)
                continue
            }
            let index = indices[key][value] ?? values[key].count
            if index == values[key].count {
                values[key].append(value)
                indices[key][value] = index
            }
            places.append(Int32(index))
        }
    }

    /// The index of a value of a foreign key; nil for a value by which no row refers.
    func index(of value: DatabaseValue, by key: Int) -> Int? { indices[key][value] }

    /// The index of the value by which a row refers; nil if a column of the foreign key is NULL.
    func index(ofRow row: Int, by key: Int) -> Int? {
        let place = places[row * keys.count + key]
        return place < 0 ? nil : Int(place)
    }

    /// Returns the rows in another order.
    ///
    /// - Parameter order: the numbers of the rows in the new order; nil for a row that is no record.
    func arranged(as order: [Int?]) -> ReferringRows {
        var arranged = self
        (arranged.numbers, arranged.places) = ([], [])
        let rows = Dictionary(zip(numbers, numbers.indices)) { first, _ in first }
        for (number, old) in order.enumerated() {
            guard let row = old.flatMap({ rows[$0] }) else { continue }
            arranged.numbers.append(number)
            arranged.places += places[row * keys.count..<(row + 1) * keys.count]
        }
        return arranged
    }
}
