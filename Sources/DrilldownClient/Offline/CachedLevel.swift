/// The file of a level: three lines that say what it is, one with its pages, then the level as a server answers it.
///
/// ```
/// drilldown level 1
/// http://127.0.0.1:8080/ /levels/Item%204
/// 8c4f3b1e0a5d7296
/// [{"version":"pQ3…","count":1,"total":1}]
/// {"title":"Item 4",…}
/// ```
///
/// The third line is the hash of everything after it.
enum CachedLevel {
    /// The first line; the number is that of the format.
    private static let title = "drilldown level 1"

    static func bytes(of copy: LevelCopy, identity: String) -> [UInt8] {
        var content = JSONText.bytes(of: .list(copy.pages.map(\.fieldValue)))
        content.append(UInt8(ascii: "\n"))
        content += LevelText.bytes(of: copy.level)
        return Array("\(title)\n\(identity)\n\(StableHash.digits(of: content))\n".utf8) + content
    }

    /// The copy in a file; nil if the file is damaged, of another format or of another level.
    static func read(_ bytes: [UInt8], identity: String) -> LevelCopy? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 4, omittingEmptySubsequences: false)
        guard lines.count == 5, lines[0].elementsEqual(title.utf8), lines[1].elementsEqual(identity.utf8),
            lines[2].elementsEqual(StableHash.digits(of: bytes[lines[3].startIndex...]).utf8)
        else { return nil }
        do {
            let pages = try pages(Array(lines[3]))
            guard case .level(let level) = try LevelReader.read(Array(lines[4])),
                pages.reduce(0, { $0 &+ $1.count }) == level.rows.count
            else { return nil }
            return LevelCopy(level: level, pages: pages)
        } catch {
            return nil
        }
    }

    private static func pages(_ bytes: [UInt8]) throws(JSONError) -> [LevelCopy.Page] {
        var reader = JSONReader(bytes)
        return try reader.value().list?.compactMap(LevelCopy.Page.init) ?? []
    }
}

extension LevelCopy.Page {
    fileprivate init?(_ value: FieldValue) {
        guard let fields = value.dictionary, let version = fields["version"]?.text, let count = fields["count"]?.int,
            let total = fields["total"]?.int
        else { return nil }
        self.init(version: version, entityTag: fields["entityTag"]?.text, count: count, total: total)
    }

    fileprivate var fieldValue: FieldValue {
        var fields: Fields = [
            "version": .text(version), "count": .integer(Int64(count)), "total": .integer(Int64(total)),
        ]
        fields["entityTag"] = entityTag.map(FieldValue.text)
        return .dictionary(fields)
    }
}
