import Foundation

/// The folder of the last known levels, with one file for each level.
///
/// The name of a file contains a hash of the level's identity. Other files in the folder are neither read nor removed.
struct CacheFolder: Sendable {
    let url: URL
    let server: String
    /// The maximum size of all files together, in bytes.
    let limit: Int

    var replace: @Sendable (_ file: URL, _ bytes: Data) throws -> Void = { file, bytes in
        try bytes.write(to: file, options: .atomic)
    }

    private static let prefix = "level-"
    private static let suffix = ".drilldown"

    /// Returns the identity of a level, on one line: the server's address, the link of the level, and the query.
    private func identity(of target: LevelTarget) -> String {
        server + " " + target.path.levelLink + target.query.encoded
    }

    private func file(of target: LevelTarget) -> URL {
        url.appendingPathComponent(Self.prefix + StableHash.digits(of: identity(of: target).utf8) + Self.suffix)
    }

    /// Reads the file of a level, and marks the file as used now. Returns nil if the file is missing or damaged.
    func copy(of target: LevelTarget) -> LevelCopy? {
        let file = file(of: target)
        do {
            let bytes = try Data(contentsOf: file)
            guard let copy = CachedLevel.read([UInt8](bytes), identity: identity(of: target)) else { return nil }
            // This fails for a file of another user and on a read-only disk. The time of use then stays as it is.
            _ = Result {
                try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
            }
            return copy
        } catch {
            // The file is missing or cannot be read, so the level is requested from the server.
            return nil
        }
    }

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
            guard url.lastPathComponent.hasPrefix(Self.prefix), url.lastPathComponent.hasSuffix(Self.suffix),
                case .success(let values) = Result(catching: { try url.resourceValues(forKeys: keys) })
            else { return nil }
            return (url, values.fileSize ?? 0, values.contentModificationDate ?? .distantPast)
        }
    }
}

/// The hash for the names and the checksums of files: FNV-1a with 64 bits, which is the same in every process.
///
/// A checksum detects damage, but not manipulation. Two levels with the same file name do no harm, because a file also
/// contains the identity of its level.
package enum StableHash {
    package static func digits(of bytes: some Sequence<UInt8>) -> String {
        let value = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
