import Bytes
import ContentCodings
import DrilldownDates
import Glibc
import HTTPFields
import HTTPServer

/// The answer to a request for a file. Evaluates the conditions of the request, and selects the ranges of the file that
/// are sent (RFC 9110, sections 13 and 14).
struct AssetAnswer {
    let request: Request
    let file: AssetFile
    let type: AssetType
    /// The current time in seconds since 1970, for comparison with dates.
    let now: Int
    let assets: Assets
    let origin: AllowedOrigins.Place

    private var lastModified: HTTPDate? { file.lastModified(now: now) }

    /// Selects the status and the body.
    func response() throws(Problem) -> Response {
        let tag = file.entityTag
        func lines(_ contentType: String, added: HeaderLines) -> HeaderLines {
            let metadata = RepresentationMetadata(
                contentType: contentType, entityTag: tag, cacheControl: assets.cacheControl, vary: nil, added: added)
            return assets.header.lines(of: metadata, coding: .identity, for: origin)
        }
        var added: HeaderLines = lastModified.map { [("Last-Modified", $0.text)] } ?? []
        added += [("Accept-Ranges", "bytes")]
        if let policy = type.policy { added.append(("Content-Security-Policy", policy)) }
        if try isNotModified(tag) { return .notModified(lines(type.contentType, added: added)) }
        guard let ranges = try ranges(tag) else {
            return try response(200, headers: lines(type.contentType, added: added), pieces: [.file(0..<file.length)])
        }
        if ranges.count == 1 {
            added.append(("Content-Range", contentRange(ranges[0])))
            return try response(206, headers: lines(type.contentType, added: added), pieces: [.file(ranges[0])])
        }
        let boundary = "part-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let contentType = "multipart/byteranges; boundary=\(boundary)"
        return try response(206, headers: lines(contentType, added: added), pieces: parts(ranges, boundary: boundary))
    }

    // MARK: Conditions

    /// Evaluates the conditions in the order of RFC 9110, section 13.2.2. If the file lacks a date, conditions on the
    /// date are ignored.
    private func isNotModified(_ tag: String) throws(Problem) -> Bool {
        if !request.has(.ifMatch), let date = date(.ifUnmodifiedSince), let lastModified, lastModified > date {
            throw Problem(
                .preconditionFailed, detail: "The file was changed after the date in If-Unmodified-Since.",
                members: [("current", .text(tag))])
        }
        if try Condition(request).isNotModified(tag) { return true }
        guard !request.has(.ifNoneMatch), let date = date(.ifModifiedSince), let lastModified else { return false }
        return lastModified <= date
    }

    private func date(_ name: FieldName) -> HTTPDate? {
        request.field(name).flatMap { HTTPDate($0) }
    }

    // MARK: Ranges

    /// The ranges to send; nil for the whole file.
    private func ranges(_ tag: String) throws(Problem) -> [Range<Int>]? {
        // Only GET has ranges (RFC 9110, section 14.2).
        guard request.method == .get, let text = request.field(.range), isUnchanged(tag),
            let wanted = ByteRanges(text.utf8Span.span)
        else { return nil }
        let ranges = wanted.resolved(in: file.length)
        guard !ranges.isEmpty else { throw .rangeNotSatisfiable(length: file.length) }
        return ranges
    }

    /// Whether ranges may be sent: `If-Range` is missing, or names this file by strong comparison (RFC 9110, section
    /// 13.1.5).
    private func isUnchanged(_ tag: String) -> Bool {
        guard let text = request.field(.ifRange) else { return true }
        if text.hasPrefix("\"") || text.hasPrefix("W/") { return text == tag }
        // Within the second of the last change, a date is not a strong validator (RFC 9110, section 8.8.2.2).
        guard let lastModified else { return false }
        return date(.ifRange) == lastModified && now > lastModified.seconds
    }

    private func contentRange(_ range: Range<Int>) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.length)"
    }

    /// The ranges as `multipart/byteranges` (RFC 9110, section 14.6).
    private func parts(_ ranges: [Range<Int>], boundary: String) -> [AssetBody.Piece] {
        var pieces: [AssetBody.Piece] = []
        for range in ranges {
            let head =
                "--\(boundary)\r\nContent-Type: \(type.contentType)\r\nContent-Range: \(contentRange(range))\r\n\r\n"
            pieces += [.text(Array(((pieces.isEmpty ? "" : "\r\n") + head).utf8)), .file(range)]
        }
        return pieces + [.text(Array("\r\n--\(boundary)--\r\n".utf8))]
    }

    private func response(_ status: Int, headers: HeaderLines, pieces: [AssetBody.Piece]) throws(Problem)
        -> Response
    {
        guard let content = file.content else {
            let length = pieces.reduce(0) { $0 + $1.count }
            let body = AssetBody(file: file, pieces: pieces, permit: try assets.open.permit())
            return Response(status: status, headers: headers, stream: body, length: length)
        }
        let body = pieces.flatMap { piece in
            switch piece {
            case .text(let text): text[...]
            case .file(let range): content[range]
            }
        }
        return Response(status: status, headers: headers, body: body)
    }
}
