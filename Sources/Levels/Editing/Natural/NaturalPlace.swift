internal import Bytes
package import PropertyLists

/// The place of a value in a document that is read as it is: the names of entries and the numbers of elements that lead to
/// it. Null elements do not count.
package struct NaturalPlace: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        case name([UInt8])
        case element(Int)
    }

    package var steps: [Step]

    package init(_ steps: [Step] = []) { self.steps = steps }

    func appending(_ step: Step) -> NaturalPlace { NaturalPlace(steps + [step]) }

    /// The place after a change of the document; nil for a place that is gone.
    package func after(_ change: NaturalChange) -> NaturalPlace? {
        let (list, moved): (NaturalPlace, (Int) -> Int?)
        switch change {
        case .value: return self
        case .entries(let place, let old, let new):
            guard steps.count > place.steps.count, steps.starts(with: place.steps),
                case .name(let name) = steps[place.steps.count]
            else { return self }
            let isGone = old.contains { $0.name == name } && !new.contains { $0.name == name }
            return isGone ? nil : self
        case .insert(_, let place, let number): (list, moved) = (place, { $0 < number ? $0 : $0 + 1 })
        case .remove(let number, let place):
            (list, moved) = (place, { $0 == number ? nil : $0 < number ? $0 : $0 - 1 })
        case .move(let from, let to, let place):
            (list, moved) = (
                place,
                { number in
                    guard number != from else { return to }
                    let rest = number < from ? number : number - 1
                    return rest < to ? rest : rest + 1
                }
            )
        }
        guard steps.count > list.steps.count, steps.starts(with: list.steps),
            case .element(let number) = steps[list.steps.count]
        else { return self }
        guard let new = moved(number) else { return nil }
        var place = self
        place.steps[list.steps.count] = .element(new)
        return place
    }
}

extension Item {
    /// The place of the item's value.
    var naturalPlace: NaturalPlace {
        var place = NaturalPlace()
        for (owner, step) in zip(steps, steps.dropFirst()) {
            if let name = owner.childrenName { place.steps.append(.name(name)) }
            if step.level.form == .members {
                place.steps.append(.name(owner.memberNames[step.row]))
            } else {
                place.steps.append(.element(step.row))
            }
        }
        return place
    }

    /// The place of the array of the item's rows; nil for an item whose rows, if any, are not elements.
    var naturalRowsPlace: NaturalPlace? {
        if let name = own.childrenName { return naturalPlace.appending(.name(name)) }
        return own.isArray ? naturalPlace : nil
    }

    /// The item at a place; nil if the place is not that of an item.
    package init?(at place: NaturalPlace, in document: Level) {
        var steps = [Step(level: document, row: 0)]
        for step in place.steps {
            let owner = steps[steps.count - 1]
            var row: Int?
            switch step {
            case .name(let name) where name == owner.childrenName: continue
            case .name(let name): row = owner.memberNames.firstIndex(of: name)
            case .element(let number): row = number
            }
            guard let level = owner.below, let row, row < level.rowCount else { return nil }
            steps.append(Step(level: level, row: row))
        }
        self.init(steps)
    }
}

extension Item.Step {
    private var holes: [PackedField] {
        let bytes = level.bytes
        return PackedField.all(in: level.row(row).fields, of: bytes.span).filter(\.isHole)
    }

    /// The name of the array that holds the rows of a dictionary; nil without such an array.
    var childrenName: [UInt8]? {
        let bytes = level.bytes
        let hole = holes.first { $0.form(in: bytes.span) == .list }
        return hole.map { Array(copying: bytes.span.extracting($0.name)) }
    }

    /// The names of the values that are rows, in the order of the rows.
    var memberNames: [[UInt8]] {
        let bytes = level.bytes
        return holes.filter { $0.form(in: bytes.span) == .members }.map {
            Array(copying: bytes.span.extracting($0.name))
        }
    }

    /// Whether the value is an empty dictionary that is a row by its name, and a map from its first entry on.
    var isEmptyMember: Bool {
        level.form == .members && level.row(row).fields.isEmpty && below == nil && !level.row(row).isString
    }

    /// Whether the value is an array, whose elements are the rows.
    var isArray: Bool { !level.row(row).isString && level.row(row).fields.isEmpty && below?.form == .list }
}

/// One change of the text of a document that is read as it is.
package enum NaturalChange: Sendable {
    /// Other entries of a dictionary.
    case entries(NaturalPlace, old: [Entry], new: [Entry])
    /// Another value.
    case value(NaturalPlace, PropertyListValue)
    /// A new element of an array.
    case insert(PropertyListValue, into: NaturalPlace, at: Int)
    case remove(Int, from: NaturalPlace)
    /// - Parameter to: the number of elements before the new place, not counting the moved element.
    case move(Int, to: Int, in: NaturalPlace)

    /// An entry of a dictionary.
    package struct Entry: Sendable {
        package let name: [UInt8]
        /// Nil for a value that stays as it is.
        package let value: PropertyListValue?
    }
}
