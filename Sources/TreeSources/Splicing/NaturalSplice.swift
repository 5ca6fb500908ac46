internal import Bytes
internal import Heap
internal import Levels
internal import PropertyLists

/// Makes the text of a document that is read as it is after a change. Everything else is copied from the older text; a
/// binary document is written anew.
enum NaturalSplice {
    /// Returns the document after the change.
    ///
    /// - Throws: `PropertyListError` if the document is not the one of the change, or if the syntax cannot represent a value.
    static func document(
        _ bytes: [UInt8], syntax: PropertyListSyntax, after change: NaturalChange, limits: PropertyListLimits
    ) throws(PropertyListError) -> [UInt8] {
        guard MemoryBudget.hasRoom(for: bytes.count + 1 << 16) else { throw .outOfMemory }
        guard let textual = syntax.textual else { return try binary(bytes, after: change, limits: limits) }
        let document = try DocumentText(input: .memory(bytes), isXML: textual == .xml)
        let splicer = Splicer(text: SplicedText(document: document, syntax: textual), root: TouchedItem())
        try splicer.splice(change)
        splicer.pieces.copy(upTo: document.count)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 256)
        do throws(SpliceError<Never>) {
            try DocumentOutput.write(splicer.pieces.all, of: document, syntax: textual) { result.append(copying: $0) }
        } catch {
            switch error {
            case .document(let error): throw error
            }
        }
        return result
    }

    private static func binary(
        _ bytes: [UInt8], after change: NaturalChange, limits: PropertyListLimits
    ) throws(PropertyListError) -> [UInt8] {
        var builder = PropertyListValueBuilder()
        try PropertyListSyntax.binary.read(.memory(bytes), limits: limits, into: &builder)
        guard var value = builder.value else { throw .notWhatWasRead }
        try value.change(at: change.place.steps[...]) { (value) throws(PropertyListError) in try value.apply(change) }
        var writer = BinaryPropertyListWriter()
        try value.tell(to: &writer)
        try writer.finish()
        return Array(copying: writer.output.span)
    }
}

extension NaturalChange {
    /// The place of the value inside of which something changes, or of the value that changes.
    fileprivate var place: NaturalPlace {
        switch self {
        case .entries(let place, _, _), .value(let place, _), .insert(_, let place, _), .remove(_, let place),
            .move(_, _, let place):
            place
        }
    }
}

extension Splicer {
    /// Copies the document up to a change, and makes the change.
    fileprivate func splice(_ change: NaturalChange) throws(PropertyListError) {
        let (range, anchor) =
            switch syntax {
            case .xml: try ItemLocation<XMLTokens>.value(at: change.place, in: text)
            case .json: try ItemLocation<JSONTokens>.value(at: change.place, in: text)
            }
        switch change {
        case .entries(_, let old, let new):
            guard case .dictionary(let dictionary) = try container(at: range.lowerBound, anchor: anchor) else {
                throw .notWhatWasRead
            }
            try splice(dictionary, old: old.map(SplicedField.init), new: new.map(SplicedField.init)) {
                (edit) throws(PropertyListError) in
                if case .new = edit { throw .contradictoryEdit }
            }
        case .value(_, let value): try replace(range, anchor: anchor, by: value, isScalar: true)
        case .insert(let value, _, let number):
            let (list, numbers) = try list(at: range.lowerBound, anchor: anchor, needing: [number])
            try splice(list, steps: Self.steps(list, [(numbers[0], .insert(.value(value)))]))
        case .remove(let number, _):
            let (list, numbers) = try list(at: range.lowerBound, anchor: anchor, needing: [number])
            try splice(list, steps: Self.steps(list, [(numbers[0], .drop(numbers[0]))]))
        case .move(let from, let to, _):
            // The element is moved before the element that will follow it.
            let next = to < from ? to : to + 1
            let (list, numbers) = try list(at: range.lowerBound, anchor: anchor, needing: [from, next])
            let element = try list.slot(numbers[0]).range
            try splice(
                list,
                steps: Self.steps(
                    list, [(numbers[0], .drop(numbers[0])), (numbers[1], .insert(.copied(element)))]))
        }
    }

    /// A new element of a list.
    private enum Element {
        case value(PropertyListValue)
        case copied(Range<Int>)
    }

    private func list(
        at place: Int, anchor: Int, needing elements: [Int]
    ) throws(PropertyListError) -> (list: TextList, numbers: [Int]) {
        switch syntax {
        case .xml: try ItemLocation<XMLTokens>.list(at: place, anchor: anchor, needing: elements, in: text)
        case .json: try ItemLocation<JSONTokens>.list(at: place, anchor: anchor, needing: elements, in: text)
        }
    }

    /// The steps of a list with some changes, each at the number of an element; all other elements stay.
    private static func steps(_ list: TextList, _ changes: [(Int, ListStep<Element>)]) -> [ListStep<Element>] {
        var steps: [ListStep<Element>] = []
        var next = 0
        for (number, step) in changes.sorted(by: { $0.0 < $1.0 }) {
            if number > next { steps.append(.keep(next..<number, changing: nil)) }
            steps.append(step)
            next = step.isDrop ? number + 1 : number
        }
        if next < list.numbers.upperBound { steps.append(.keep(next..<list.numbers.upperBound, changing: nil)) }
        return steps
    }

    private func splice(_ list: TextList, steps: [ListStep<Element>]) throws(PropertyListError) {
        try splice(list, steps: steps) { _ in
        } write: { (element, place) throws(PropertyListError) in
            switch element {
            case .value(let value):
                try self.write(at: place) { (writer) throws(PropertyListError) in try value.tell(to: &writer) }
            case .copied(let range): try self.copy(range, to: place) {}
            }
        }
    }
}

extension PropertyListValue {
    /// Changes the value at a path in place. Only values without null have such paths.
    fileprivate mutating func change(
        at path: ArraySlice<NaturalPlace.Step>, _ body: (inout PropertyListValue) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        guard let step = path.first else { return try body(&self) }
        switch (step, self) {
        case (.name(let name), .dictionary(var fields)):
            let name = String(utf8: name.span)
            guard var value = fields[name] else { throw .notWhatWasRead }
            try value.change(at: path.dropFirst(), body)
            fields[name] = value
            self = .dictionary(fields)
        case (.element(let number), .array(var elements)) where elements.indices.contains(number):
            try elements[number].change(at: path.dropFirst(), body)
            self = .array(elements)
        default: throw .notWhatWasRead
        }
    }

    fileprivate mutating func apply(_ change: NaturalChange) throws(PropertyListError) {
        switch (change, self) {
        case (.value(_, let value), _): self = value
        case (.entries(_, _, let new), .dictionary(let fields)):
            self = .dictionary(
                PropertyListDictionary(
                    try new.map { (entry) throws(PropertyListError) in
                        let name = String(utf8: entry.name.span)
                        guard let value = entry.value ?? fields[name] else { throw .notWhatWasRead }
                        return .init(key: name, value: value)
                    }))
        case (.insert(let value, _, let number), .array(var elements)) where number <= elements.count:
            elements.insert(value, at: number)
            self = .array(elements)
        case (.remove(let number, _), .array(var elements)) where elements.indices.contains(number):
            elements.remove(at: number)
            self = .array(elements)
        case (.move(let from, let to, _), .array(var elements))
        where elements.indices.contains(from) && to < elements.count:
            let element = elements.remove(at: from)
            elements.insert(element, at: to)
            self = .array(elements)
        default: throw .notWhatWasRead
        }
    }
}
