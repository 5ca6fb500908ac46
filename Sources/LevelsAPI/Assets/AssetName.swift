import Bytes
import Levels
import PropertyLists

/// The name of an asset in a target: segments that are percent-decoded once.
enum AssetName {
    /// The path of the file, relative to the folder.
    ///
    /// - Parameter path: the part of the target after `/assets`.
    /// - Throws: `Problem` (400) for a segment that is not percent-encoded UTF-8; 404 for a name that no file can have.
    static func relativePath(_ path: Span<UInt8>) throws(Problem) -> String {
        guard path.count > 1 else {
            throw Problem(.noSuchFile, "Name a file of the assets folder, as /assets/<file>; the folder is not listed.")
        }
        var segments: [String] = []
        var isPlain = true
        var start = 1
        for end in 1...path.count where end == path.count || path[end] == UInt8(ascii: "/") {
            let segment = try decoded(path.extracting(start..<end))
            if ["", ".", ".."].contains(segment) || segment.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
            {
                isPlain = false
            }
            segments.append(segment)
            start = end + 1
        }
        let name = segments.joined(separator: "/")
        guard isPlain else { throw .noSuchFile(name) }
        return name
    }

    private static func decoded(_ segment: Span<UInt8>) throws(Problem) -> String {
        guard let bytes = PercentEncoding.decode(segment), let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(.badPath, "The path segment '\(quoted: segment)' is not percent-encoded UTF-8.")
        }
        return text
    }
}
