import Bytes
import HTTPFields
import HTTPServer
import PropertyLists

/// The formats of answers.
///
/// The numbers are part of the entity tags of documents. Number 0 is not used: it was JSON without a final line feed.
enum Format: UInt8 {
    case plist = 1
    case binary = 2
    case json = 3

    /// The available format that a request's `Accept` prefers (RFC 9110, section 12.5.1); nil if it names none of them,
    /// or prefers any other type.
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

    /// Names of XML do not select a property list, because browsers send them before `*/*`.
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
