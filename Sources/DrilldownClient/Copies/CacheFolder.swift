import Foundation

/// The folder of the last known levels and details, with one file for each of them.
///
/// The name of a file contains a hash of the copy's identity. Other files in the folder are neither read nor removed.
struct CacheFolder: Sendable {
    let url: URL
    let server: String
    /// The maximum size of all files together, in bytes.
    let limit: Int

    var replace: @Sendable (_ file: URL, _ bytes: Data) throws -> Void = { file, bytes in
        try bytes.write(to: file, options: .atomic)
    }

    private static let kinds = [LevelCopy.kind, DetailCopy.kind]
    private static let suffix = ".drilldown"

    /// Returns the identity of a copy, on one line: the server's address, and the link of the level or the detail.
    private func identity(of link: String) -> String { server + " " + link }

    /// Returns the file of a copy. Its name begins with a hash of the link without the query, so that the copies of a
    /// level with several queries are found together.
    private func file(of link: String, kind: String) -> URL {
        let query = StableHash.digits(of: link.drop { $0 != "?" }.utf8)
        return url.appendingPathComponent(prefix(of: link, kind: kind) + query + Self.suffix)
    }

    private func prefix(of link: String, kind: String) -> String {
        "\(kind)-\(StableHash.digits(of: identity(of: String(link.prefix { $0 != "?" })).utf8))-"
    }

    /// Reads a copy, and marks its file as used now. Returns nil if the file is missing or damaged.
    func copy<Copy: CachedCopy>(of link: String) -> Copy? {
        copy(in: file(of: link, kind: Copy.kind), identity: identity(of: link))
    }

    private func copy<Copy: CachedCopy>(in file: URL, identity: String, isAnyQuery: Bool = false) -> Copy? {
        do {
            guard let copy = Copy([UInt8](try Data(contentsOf: file)), identity: identity, isAnyQuery: isAnyQuery)
            else { return nil }
            // This fails for a file of another user and on a read-only disk. The time of use then stays as it is.
            _ = Result {
                try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
            }
            return copy
        } catch {
            // The file is missing or cannot be read, so the answer is requested from the server.
            return nil
        }
    }

    /// Returns what the copies of the level above show of an item: the row with the most fields. Returns nil if no copy
    /// has a row of the item.
    func detail(at path: ItemPath) -> DetailCopy? {
        guard let parent = path.parent else { return nil }
        let prefix = prefix(of: parent.levelLink, kind: LevelCopy.kind)
        let details = files().lazy.map(\.url).filter { $0.lastPathComponent.hasPrefix(prefix) }
            .compactMap { file -> DetailCopy? in
                guard
                    let copy: LevelCopy = copy(
                        in: file, identity: identity(of: parent.levelLink), isAnyQuery: true),
                    let position = copy.level.rows.firstIndex(where: { $0.path == path })
                else { return nil }
                return DetailCopy(copy.level.rows[position], at: position, in: copy.level)
            }
        return details.max { $0.detail.fields.count < $1.detail.fields.count }
    }

    func write(_ copy: (any CachedCopy)?, kind: String, of link: String) throws {
        let file = file(of: link, kind: kind)
        let bytes = copy?.bytes(identity: identity(of: link))
        if let bytes, bytes.count <= limit {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try replace(file, Data(bytes))
        } else if FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.removeItem(at: file)
        }
    }

    /// Removes the least recently used files until the size of all files is within the limit.
    func shrink() {
        var files = files()
        files.sort { $0.used > $1.used }
        var total = 0
        for file in files {
            total += file.size
            // The error is ignored, because another process may remove the file at the same time.
            if total > limit { _ = Result { try FileManager.default.removeItem(at: file.url) } }
        }
    }

    private func files() -> [(url: URL, size: Int, used: Date)] {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
        let names = Result {
            try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: Array(keys))
        }
        guard case .success(let urls) = names else { return [] }
        return urls.compactMap { url in
            let name = url.lastPathComponent
            guard Self.kinds.contains(where: { name.hasPrefix($0 + "-") }), name.hasSuffix(Self.suffix),
                case .success(let values) = Result(catching: { try url.resourceValues(forKeys: keys) })
            else { return nil }
            return (url, values.fileSize ?? 0, values.contentModificationDate ?? .distantPast)
        }
    }
}

/// The hash for the names and the checksums of files: FNV-1a with 64 bits, which is the same in every process.
///
/// A checksum detects damage, but not manipulation. Two copies with the same file name do no harm, because a file also
/// contains the identity of its copy.
enum StableHash {
    static func digits(of bytes: some Sequence<UInt8>) -> String {
        let value = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
