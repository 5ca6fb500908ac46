import Levels

extension RandomDocument {
    /// The same document after a few edits anywhere in it.
    mutating func edited(_ document: Value) -> Value {
        var result = document
        for _ in 0...generator.below(3) { result = edit(result) }
        return result
    }

    /// One edit that leaves a document which can still be read.
    private mutating func edit(_ document: Value) -> Value {
        while true {
            let candidate = change(document)
            do {
                _ = try candidate.tree()
                return candidate
            } catch {
                // An edit that breaks a rule, such as an item without a title, is replaced by another.
                continue
            }
        }
    }

    private mutating func change(_ value: Value) -> Value {
        switch value {
        case .array(var values):
            if values.isEmpty || generator.one(in: 3) { return .array(changedList(values)) }
            let place = generator.below(values.count)
            values[place] = change(values[place])
            return .array(values)
        case .dictionary(var entries):
            if entries.isEmpty || generator.one(in: 4) { return .dictionary(changedEntries(entries)) }
            let place = generator.below(entries.count)
            entries[place] = Value.Entry(entries[place].key, change(entries[place].value))
            return .dictionary(entries)
        default: return self.value(depth: 0)
        }
    }

    private mutating func changedList(_ values: [Value]) -> [Value] {
        var values = values
        switch generator.below(4) {
        case 0 where !values.isEmpty: values.remove(at: generator.below(values.count))
        case 1 where !values.isEmpty: values.swapAt(generator.below(values.count), generator.below(values.count))
        case 2 where values.count > 2: values.shuffle(using: &generator)
        default: values.insert(.string(text()), at: generator.below(values.count + 1))
        }
        return values
    }

    private mutating func changedEntries(_ entries: [Value.Entry]) -> [Value.Entry] {
        var entries = entries
        switch generator.below(contents.contains(.orders) ? 4 : 3) {
        case 0 where !entries.isEmpty: entries.remove(at: generator.below(entries.count))
        case 1 where !entries.isEmpty: entries.swapAt(generator.below(entries.count), generator.below(entries.count))
        case 3:
            entries.removeAll { $0.key == "SortBy" || $0.key == "GroupBy" }
            entries += order()
        default:
            let name = generator.one(in: 2) ? "Subtitle" : "Text"
            if !entries.contains(where: { $0.key == name }) { entries.append(Value.Entry(name, value(depth: 1))) }
        }
        return entries
    }
}
