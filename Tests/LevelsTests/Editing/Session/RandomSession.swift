import PropertyLists

@testable import Levels
@testable import TestDocuments

/// Random edits, done by a session and by the reference.
struct RandomSession {
    private(set) var reference: EditReference
    private(set) var built: EditReference.Built
    private(set) var session: EditSession
    private var random: RandomDocument
    private let isExact: Bool
    private var made = 5_000_000

    /// What documents an edit is tried on.
    struct Setting: Sendable {
        let syntax: PropertyListSyntax
        let contents: RandomDocument.Contents
        var mapping: String?
        var isSplit = false
        var isExact = false
    }

    init(seed: UInt64, _ setting: Setting) throws {
        random = RandomDocument(seed: seed, setting.contents)
        isExact = setting.isExact
        let names = try setting.mapping.map { try StructuralNames(mapping: $0) } ?? StructuralNames()
        var files: [String: EditableDocument] = [:]
        repeat {
            var generator = random.generator
            var value = random.document().held(by: setting.syntax).withControls(&generator)
            var others: [String: Value] = [:]
            if setting.isSplit {
                let split = SplitDocument(value, seed: seed)
                (value, others) = (split.split, split.others)
            }
            files = try others.mapValues { EditableDocument(try $0.tree().document.told(0)) }
            files[""] = EditableDocument(try value.tree().document.told(0))
            reference = EditReference(files: files, names: names, syntax: setting.syntax)
            built = try reference.built()
        } while built.composition.document.fullItemCount > 16 || built.composition.document.fullItemCount < 3
        let syntax = setting.syntax
        session =
            setting.isSplit
            ? EditSession(composition: built.composition, names: names) { _ in syntax }
            : EditSession(document: built.composition.source, names: names, syntax: syntax)
    }

    /// One edit, the result of the session, and the expected result.
    struct Outcome {
        let edit: Edit
        let session: EditSession
        let items: [EditedItem]
        let refusal: EditRefusal?
        let reference: Result<(built: EditReference.Built, path: [Int]?), any Error>
    }

    /// A session as it was and one as it is after an edit; the edit is done if it can be.
    mutating func next() throws -> Outcome {
        let (edit, reference, path) = randomEdit()
        var session = session
        var refusal: EditRefusal?
        var items: [EditedItem] = []
        do { items = try session.apply(EditBatch([edit], isExact: isExact)) } catch { refusal = error }
        var result: Result<(built: EditReference.Built, path: [Int]?), any Error>
        do {
            let reference = try reference.get()
            result = .success((try reference.built(), path))
        } catch { result = .failure(error) }
        let outcome = Outcome(edit: edit, session: session, items: items, refusal: refusal, reference: result)
        if case .success(let after) = result, refusal == nil {
            self.session = session
            self.reference = try reference.get()
            built = after.built
        }
        return outcome
    }

    /// Whether an edit has failed its test, so that the ones after it would too.
    var isAstray: Bool {
        let expected = session.composition == nil ? built.composition.source : built.composition.document
        return session.document.hash != expected.hash
    }

    var isLarge: Bool { session.document.fullItemCount > 30 }

    // MARK: Edits

    private typealias Planned = (edit: Edit, reference: Result<EditReference, any Error>, path: [Int]?)

    private mutating func randomEdit() -> Planned {
        let item = randomItem()
        switch random.generator.below(12) {
        case 0, 1: return insertion(below: item)
        case 2: return removal(of: item)
        case 3 where random.generator.one(in: 2): return removal(of: item)
        case 4: return move(item, below: item.parent ?? item)
        case 5: return move(item, below: randomItem())
        case 6, 7: return put(item)
        case 8: return make(below: item)
        default: return patch(item)
        }
    }

    private mutating func insertion(below item: Item) -> Planned {
        let value = randomBody(depth: 1)
        let (position, section) = randomPosition(below: item)
        return plan(.insert(value.renamed(reference.names).body, below: item.path, at: position, section: section)) {
            try $0.insert(value.checkedItem(), below: item, at: position, section: section, in: $1)
        }
    }

    private func removal(of item: Item) -> Planned {
        plan(.delete(item.path)) {
            try $0.remove(item, in: $1)
            return nil
        }
    }

    private mutating func move(_ item: Item, below owner: Item) -> Planned {
        let (position, section) = randomPosition(below: owner)
        return plan(.move(item.path, below: owner.path, at: position, section: section)) {
            try $0.move(item, below: owner, at: position, section: section, in: $1)
        }
    }

    private mutating func put(_ item: Item) -> Planned {
        let value = random.generator.one(in: 4) ? randomBody(depth: 0) : altered(item, removes: false)
        let isExact = isExact
        return plan(.put(value.renamed(reference.names).body, at: item.path, onlyIfNew: false)) {
            try $0.put(value, of: item, isExact: isExact, in: $1)
            return item.rowPath
        }
    }

    private mutating func make(below item: Item) -> Planned {
        let key = random.text()
        var value = randomBody(depth: 0)
        if random.generator.one(in: 3) { value = .string(key) }
        let path = item.path.below(key)
        if case .found(let there) = Item.find(path, in: session.document) {
            return plan(.put(value.body, at: path, onlyIfNew: true)) { _, _ in
                _ = there
                throw EditReference.Refused(.exists)
            }
        }
        let wanted = path.key(path.count - 1)
        return plan(.put(value.renamed(reference.names).body, at: path, onlyIfNew: random.generator.one(in: 2))) {
            try $0.make(value, keyed: wanted, below: item, in: $1)
        }
    }

    private mutating func patch(_ item: Item) -> Planned {
        let value = altered(item, removes: true)
        let isExact = isExact
        return plan(.patch(value.renamed(reference.names).body, at: item.path)) {
            try $0.patch(value, of: item, isExact: isExact, in: $1)
            return item.rowPath
        }
    }

    private func plan(
        _ edit: Edit, _ change: (inout EditReference, EditReference.Built) throws -> [Int]?
    ) -> Planned {
        var copy = reference
        do {
            let path = try change(&copy, built)
            return (edit, .success(copy), path)
        } catch let refused as EditReference.Refused {
            return (edit, .failure(hasWrongItem(edit) ? refused.or(.invalid) : refused), nil)
        } catch {
            return (edit, .failure(error), nil)
        }
    }

    /// Whether the item of an edit is wrong wherever it is put, for which it is refused before its place.
    private func hasWrongItem(_ edit: Edit) -> Bool {
        switch edit {
        case .insert(let item, _, _, _): session.fault(of: item) != nil
        case .put(let item, _, _): session.faultOfPut(item) != nil
        case .patch, .move, .delete: false
        }
    }

    // MARK: Choices

    private mutating func randomItem() -> Item {
        var item = Item(rootOf: session.document)
        while let level = item.level, level.count > 0, !random.generator.one(in: 4) || item.depth == 0 {
            item = Item(item.steps + [Item.Step(level: level, row: random.generator.below(level.count))])
        }
        return random.generator.one(in: 8) ? item.parent ?? item : item
    }

    private mutating func randomPosition(below item: Item) -> (RowPosition, Int?) {
        let count = item.level?.count ?? 0
        let section = random.generator.one(in: 3) ? random.generator.below(4) : nil
        let key = count > 0 ? item.level?.key(random.generator.below(count)) ?? "" : random.text()
        switch random.generator.below(6) {
        case 0: return (.first, section)
        case 1: return (.offset(random.generator.below(count + 2) - (random.generator.one(in: 9) ? 1 : 0)), section)
        case 2: return (.before(key), section)
        case 3: return (.after(key), section)
        default: return (.last, section)
        }
    }

    /// An item; at times none.
    private mutating func randomBody(depth: Int) -> Value {
        made += 1
        switch random.generator.below(24) {
        case 0: return random.value(depth: 1)
        case 1: return .dictionary([Value.Entry("Text", random.value(depth: 1))])
        case 2: return .dictionary([Value.Entry("Title", .string("x")), Value.Entry("F", .array([.null]))])
        case 3: return .dictionary([Value.Entry("Title", .string("x")), Value.Entry("Key", .string(random.text()))])
        default:
            var generator = random.generator
            return random.item(number: made, depth: depth).withControls(&generator).inOrder
        }
    }

    /// The fields of an item with changes, as JSON if the body is that.
    private mutating func altered(_ item: Item, removes: Bool) -> Value {
        let (file, own) = built.composition.origin(of: item)
        _ = file
        var fields: [Value.Entry] = []
        switch reference.value(reference.place(item, in: built)) {
        case .dictionary(let entries): fields = entries.filter { !Value.structureNames.contains($0.key) }
        case let title where !title.isArray: fields = [Value.Entry("Title", title)]
        default: fields = []
        }
        _ = own
        var changes: [Value.Entry] = []
        for field in fields where !removes || random.generator.one(in: 3) {
            switch random.generator.below(removes ? 4 : 8) {
            case 0 where removes: changes.append(Value.Entry(field.key, isExact ? field.value : .null))
            case 0, 1: changes.append(Value.Entry(field.key, altered(field.value)))
            case 2 where field.key == "Title": changes.append(Value.Entry("Title", .string(random.text())))
            default: changes.append(Value.Entry(field.key, isExact ? field.value : field.value.held(by: .json)))
            }
        }
        if random.generator.one(in: 3), !changes.contains(where: { $0.key == "Note" }) {
            changes.append(
                Value.Entry("Note", isExact ? random.value(depth: 2) : random.value(depth: 2).held(by: .json)))
        }
        if random.generator.one(in: 30) { changes.append(Value.Entry("Rows", .array([]))) }
        changes.shuffle(using: &random.generator)
        return .dictionary(changes)
    }

    /// Another value in the place of one.
    private mutating func altered(_ value: Value) -> Value {
        guard !isExact else { return random.value(depth: 1) }
        switch value {
        case .date:
            return .string(
                ["2031-05-06T07:08:09Z", "1999-12-31T23:30:00-02:30", "some day"][random.generator.below(3)])
        case .data: return .string(["AAEC", "no base64!", "two words", "abc", ""][random.generator.below(5)])
        case .real:
            return [.integer(PropertyListInteger(Int64(-7))), .string("nan"), .string("-infinity")][
                random.generator.below(3)]
        case .uid: return .dictionary([Value.Entry("CF$UID", .integer(PropertyListInteger(UInt64(9))))])
        case .dictionary(let entries):
            return .dictionary(
                entries.map {
                    Value.Entry($0.key, random.generator.one(in: 3) ? altered($0.value) : $0.value.held(by: .json))
                })
        case .array(let values):
            return .array(
                values.map { random.generator.one(in: 3) ? altered($0) : $0.held(by: .json) }.filter { _ in
                    !random.generator.one(in: 9)
                })
        default: return random.value(depth: 1).held(by: .json)
        }
    }
}

extension Item {
    var parent: Item? { depth > 0 ? Item(Array(steps.dropLast())) : nil }

    /// The path of the item by its keys.
    var path: ItemPath {
        steps.dropFirst().reduce(ItemPath.root) { $0.below($1.level.key($1.row)) }
    }
}

extension ItemPath {
    static var root: ItemPath {
        let nothing: [UInt8] = []
        do { return try ItemPath(nothing.span) } catch { preconditionFailure("\(error)") }
    }

    /// The path of an item with this key below that of the path.
    func below(_ key: String) -> ItemPath {
        var text = ""
        for number in 0..<count { text += "/" + Self.encoded(self.key(number)) }
        text += "/" + Self.encoded(key)
        do { return try ItemPath(Array(text.utf8).span) } catch { preconditionFailure("\(error)") }
    }

    private static func encoded(_ key: String) -> String {
        let key = key.isEmpty ? "~1" : key
        return key.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}

extension Value {
    func checkedItem() throws -> Value {
        switch self {
        case _ where holdsNull: throw EditReference.Refused(.invalid, .badPlace, .conflict)
        case .string, .dictionary: return self
        default: throw EditReference.Refused(.invalid, .badPlace, .conflict)
        }
    }

    /// The item as a tree sends it, with every key once and sections in the order of the tree.
    fileprivate var inOrder: Value {
        do { return try Value.array([self]).rows().items[0] } catch { return self }
    }

    /// The document with some items, and some sections, that are controls.
    func withControls(_ generator: inout SeededGenerator) -> Value {
        switch self {
        case .array(let values): return .array(values.map { $0.withControls(&generator) })
        case .dictionary(let entries):
            var changed: [Entry] = []
            for entry in entries {
                if entry.key == "Sections", case .dictionary(let named) = entry.value {
                    let rows = named.map { Entry($0.key, $0.value.withControls(&generator)) }
                    changed.append(Entry(entry.key, .dictionary(rows)))
                } else if ["Children", "Rows", "Sections"].contains(entry.key) {
                    changed.append(Entry(entry.key, entry.value.withControls(&generator)))
                } else if entry.key == "Type", generator.one(in: 2) {
                    changed.append(Entry("Type", .string("ToggleSwitch")))
                } else if entry.key == "Color", generator.one(in: 2) {
                    let types = ["RadioGroup", "Checkbox", "Multirow", "Slider"]
                    changed.append(Entry("Type", .string(types[generator.below(types.count)])))
                } else {
                    changed.append(entry)
                }
            }
            return .dictionary(changed)
        default: return self
        }
    }
}
