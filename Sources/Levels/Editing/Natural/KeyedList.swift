internal import Bytes
internal import PropertyLists

/// A list of a document that is read as it is, with the keys of its elements.
struct KeyedList {
    private let owner: Item
    private let level: Level?
    private let titles: RowTitles
    private let givenTitles: [String]?
    /// The name of the field that keys the elements; nil if their titles do.
    let keyName: String?

    init(_ editor: NaturalEditor, _ owner: Item) {
        self.owner = owner
        level = owner.level
        let known = owner.level.flatMap { level in
            (0..<level.rowCount).contains(where: level.isDictionary) ? level.titles : nil
        }
        let path = owner.steps.dropFirst().map { Array($0.level.bytes[$0.level.row($0.row).key]) }
        titles = known ?? editor.kept?.emptied[path] ?? RowTitles()
        givenTitles = editor.names.given(.title)
        keyName = editor.names.given(.key)?.first ?? titles.keys.first.map { String(utf8: $0.span) }
    }

    /// The kind of the keys.
    private enum Kind { case integers, digits, texts }

    /// The kind of the keys so far, and the largest number; without keys, the kind that the name suggests.
    private var kind: (kind: Kind, largest: Int) {
        var (kind, largest) = (nil as Kind?, 0)
        for number in 0..<(level?.rowCount ?? 0) {
            guard let level, level.row(number).keySource >= 0 else { continue }
            let bytes = level.bytes
            let reader = PackedReader(bytes: bytes.span, at: level.row(number).keySource)
            let text = reader.scalarText ?? ""
            let value = Int(text)
            let isText = reader.text != nil
            largest = max(largest, value ?? 0)
            let isDigits = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } && value != nil
            let own: Kind = !isText ? .integers : isDigits ? .digits : .texts
            if let known = kind, known != own { return (.texts, largest) }
            kind = own
        }
        let isNumber = ["id", "_id"].contains(keyName?.lowercased())
        return (kind ?? (isNumber ? .integers : .texts), largest)
    }

    /// A new element with a key, if the list has keys. In a list of single values, the detail of a value is the value.
    func element(_ value: PropertyListValue) throws(EditRefusal) -> PropertyListValue {
        guard case .dictionary(let fields) = value else { return value }
        if fields.entries.count == 1, let single = fields["Title"], !single.isDictionaryOrArray, hasValuesOnly {
            return single
        }
        guard let keyName else { return value }
        if let key = fields[keyName] {
            try checkNew(key, at: keyName)
            return value
        }
        return keyed(fields, by: newKey())
    }

    /// Whether the list has elements, none of which is a dictionary or an array.
    private var hasValuesOnly: Bool {
        guard let level, level.rowCount > 0 else { return false }
        return (0..<level.rowCount).allSatisfy { !level.isDictionary($0) && level.child($0) == nil }
    }

    /// A new element whose key is that of a path.
    func element(_ value: PropertyListValue, keyed key: String) throws(EditRefusal) -> PropertyListValue {
        let wanted = Array(key.utf8)
        guard let keyName else {
            guard try title(of: value).map({ ItemKey.natural(Array($0.utf8).span) }) == wanted else {
                throw .conflict(
                    "the elements of \(owner.titlePath) have no keys, and the title of the new element does not give the path '\(quoted: key)'; POST the element to the list"
                )
            }
            return value
        }
        guard case .dictionary(let fields) = value else {
            throw .invalid("an element with a key must be a dictionary")
        }
        var own = PropertyListValue.string(key)
        if kind.kind == .integers {
            guard let number = Int(key), "\(number)" == key else {
                throw .invalid("the keys of \(owner.titlePath) are integers, and '\(quoted: key)' is none")
            }
            own = .integer(PropertyListInteger(Int64(number)))
        }
        if let given = fields[keyName] {
            guard given.scalarText == key else {
                throw .invalid(
                    "the key '\(quoted: given.scalarText ?? "")' is not that of the path, '\(quoted: key)'; leave it out, or put the element at the path of its key",
                    at: JSONPointer.step(keyName))
            }
            try checkKind(given, at: keyName)
            return value
        }
        return keyed(fields, by: own)
    }

    /// Checks the key of an element whose fields change.
    func check(
        _ new: PropertyListDictionary, of item: Item, from old: PropertyListDictionary
    ) throws(EditRefusal) {
        guard let keyName, old[keyName] != nil, item.own.level.row(item.own.row).keySource >= 0 else { return }
        guard let key = new[keyName] else {
            throw .invalid(
                "an element of \(owner.titlePath) must keep its key '\(quoted: keyName)'",
                at: JSONPointer.step(keyName))
        }
        if key == old[keyName] { return }
        try checkNew(key, at: keyName)
    }

    private func checkNew(_ key: PropertyListValue, at name: String) throws(EditRefusal) {
        try checkKind(key, at: name)
        guard let text = key.scalarText, level?.row(withKey: ItemKey.natural(Array(text.utf8).span).span) == nil else {
            throw .conflict("another element of \(owner.titlePath) has the key '\(quoted: key.scalarText ?? "")'")
        }
    }

    private func checkKind(_ key: PropertyListValue, at name: String) throws(EditRefusal) {
        let hasKeys = level.map { level in (0..<level.rowCount).contains { level.row($0).keySource >= 0 } } ?? false
        let wanted = kind.kind
        switch key {
        case .integer where !hasKeys || wanted == .integers || isMixed: return
        case .string(let text) where (!hasKeys || wanted != .integers) && PackedTitle.isKey(text.utf8Span.span):
            return
        default:
            let what = wanted == .integers && hasKeys ? "an integer" : "a text of 1 to 256 bytes"
            throw .invalid(
                "the key '\(quoted: name)' of an element of \(owner.titlePath) must be \(what)",
                at: JSONPointer.step(name))
        }
    }

    /// Whether some keys are integers and others texts.
    private var isMixed: Bool {
        guard let level else { return false }
        let bytes = level.bytes
        let sources = (0..<level.rowCount).map { level.row($0).keySource }.filter { $0 >= 0 }
        let texts = sources.count { PackedReader(bytes: bytes.span, at: $0).text != nil }
        return texts > 0 && texts < sources.count
    }

    private func keyed(_ fields: PropertyListDictionary, by key: PropertyListValue) -> PropertyListValue {
        .dictionary(PropertyListDictionary([.init(key: keyName ?? "", value: key)] + fields.entries))
    }

    private func newKey() -> PropertyListValue {
        let (kind, largest) = kind
        let next = largest == .max ? largest : largest + 1
        switch kind {
        case .integers: return .integer(PropertyListInteger(Int64(next)))
        case .digits: return .string("\(next)")
        case .texts:
            let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
            return .string(String((0..<8).map { _ in letters[Int.random(in: letters.indices)] }))
        }
    }

    /// The title that a new element would have; nil for its number.
    private func title(of value: PropertyListValue) throws(EditRefusal) -> String? {
        guard case .dictionary(let fields) = value else { return value.scalarText }
        var path = titles.title.map { String(utf8: $0.span) }
        if let givenTitles {
            guard let name = givenTitles.first(where: { fields[$0] != nil }) else { return nil }
            path = [name]
        }
        guard let first = path.first, var found = fields[first] else { return nil }
        if path.count > 1 {
            guard case .dictionary(let inner) = found, let second = inner[path[1]] else { return nil }
            found = second
        }
        return found.scalarText.flatMap { !$0.isEmpty && $0.utf8.count <= ShortText.mostBytes ? $0 : nil }
    }
}
