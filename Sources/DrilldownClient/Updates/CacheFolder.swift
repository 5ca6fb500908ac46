import Foundation

/// The folder with the last known levels: one file for each level, named by a hash of what it is.
///
/// Other files in the folder are left alone.
struct CacheFolder: Sendable {
    let url: URL
    /// The address of the server whose levels these are.
    let server: String
    /// The number of bytes that all files may have together.
    let limit: Int

    /// Puts bytes in place of a file as a whole.
    var replace: @Sendable (_ file: URL, _ bytes: Data) throws -> Void = { file, bytes in
        try bytes.write(to: file, options: .atomic)
    }

    private static let prefix = "level-"
    private static let suffix = ".drilldown"

    /// What identifies a level, on one line.
    private func identity(of target: LevelTarget) -> String {
        server + " " + target.path.levelLink + target.query.encoded
    }

    private func file(of target: LevelTarget) -> URL {
        url.appendingPathComponent(Self.prefix + StableHash.digits(of: identity(of: target).utf8) + Self.suffix)
    }

    /// The level in a file, which counts as used now; nil if there is none, or if it is damaged.
    func copy(of target: LevelTarget) -> LevelCopy? {
        let file = file(of: target)
        do {
            let bytes = try Data(contentsOf: file)
            guard let copy = CachedLevel.read([UInt8](bytes), identity: identity(of: target)) else { return nil }
            // Another user's file, or one on a read-only disk, only counts as used less recently.
            _ = Result {
                try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
            }
            return copy
        } catch {
            // There is no such file, or it cannot be read: the server has the level.
            return nil
        }
    }

    /// Writes a level in place of what was known before, or removes it.
    func write(_ copy: LevelCopy?, of target: LevelTarget) throws {
        let file = file(of: target)
        let bytes = copy.map { CachedLevel.bytes(of: $0, identity: identity(of: target)) }
        if let bytes, bytes.count <= limit {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try replace(file, Data(bytes))
        } else if FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.removeItem(at: file)
        }
    }

    /// Removes the files that were used least recently, until all together are within the limit.
    func shrink() {
        var files = files()
        files.sort { $0.used > $1.used }
        var total = 0
        for file in files {
            total += file.size
            // A file that someone else removes at the same time is gone all the same.
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
            guard url.lastPathComponent.hasPrefix(Self.prefix), url.lastPathComponent.hasSuffix(Self.suffix),
                case .success(let values) = Result(catching: { try url.resourceValues(forKeys: keys) })
            else { return nil }
            return (url, values.fileSize ?? 0, values.contentModificationDate ?? .distantPast)
        }
    }
}

/// A hash that is the same in every process: FNV-1a with 64 bits, of which files are named and checked.
///
/// It guards against damage, not against an adversary. A file also names its level, so two of one hash are told apart.
enum StableHash {
    /// The hash as 16 hexadecimal digits.
    static func digits(of bytes: some Sequence<UInt8>) -> String {
        let value = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
