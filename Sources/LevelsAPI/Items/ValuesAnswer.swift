import Bytes
import Levels
import PropertyLists

/// `GET /values`: the values of all controls, by their keys (manual, Settings pages).
enum ValuesAnswer {
    /// - Parameter document: the level with the root item.
    static func rendered(_ document: Level) throws(Problem) -> Rendering {
        let values = PropertyListDictionary(values(of: document))
        var writer: JSONPropertyListWriter = .init()
        do throws(PropertyListError) {
            try PropertyListValue.dictionary(values).tell(to: &writer)
            writer.endLine()
            return Rendering(json: try writer.body(), vary: "Accept-Encoding, Accept", isTagged: true)
        } catch {
            throw error.isOutOfMemory ? .outOfMemory : .unwritten
        }
    }

    /// The first value of each key, in the order of the document.
    private static func values(of document: Level) -> [PropertyListDictionary.Entry] {
        var entries: [PropertyListDictionary.Entry] = []
        var known: Set<String> = []
        var open = [(level: document, row: 0)]
        while let (level, row) = open.popLast() {
            guard row < level.count else { continue }
            open.append((level, row + 1))
            if let control = level.control(ofRow: row), case .string(let key)? = control["key"],
                let value = control["value"], known.insert(key).inserted
            {
                entries.append(PropertyListDictionary.Entry(key: key, value: value))
            }
            if let child = level.child(row) { open.append((child, 0)) }
        }
        return entries
    }
}
