import Bytes
import HTTPFields
import HTTPServer
import PropertyLists

/// The formats that an answer may have.
///
/// The numbers are part of the entity tags of documents; 0 was JSON that did not end with a line feed.
enum Format: UInt8 {
    case plist = 1
    case binary = 2
    case json = 3

    /// The format that a request's `Accept` prefers among those there are (RFC 9110, section 12.5.1); nil where it
    /// names none of them, or likes anything else better.
    static func accepted(by request: Request) -> Format? {
        guard request.has(.accept) else { return nil }
        var best: (format: Format, quality: Int)?
        var anyQuality = 0
        request.forEachMediaRange { range in
            if range.name.isEqual(ignoringCase: "*/*") { anyQuality = max(anyQuality, range.quality) }
            guard let format = named(range.name), case let quality = range.quality, quality > best?.quality ?? 0
            else { return }
            best = (format, quality)
        }
        return best.flatMap { $0.quality >= anyQuality ? $0.format : nil }
    }

    /// A browser names XML before `*/*`, and wants no property list: only a property list's own name means one.
    private static func named(_ name: Span<UInt8>) -> Format? {
        switch name.count {
        case 16: name.isEqual(ignoringCase: "application/json") ? .json : nil
        case 19: name.isEqual(ignoringCase: "application/x-plist") ? .plist : nil
        case 20: name.isEqual(ignoringCase: "application/x-bplist") ? .binary : nil
        case 24: name.isEqual(ignoringCase: "application/octet-stream") ? .binary : nil
        default: nil
        }
    }
}
