import Bytes
import ContentCodings
import HTTPServer
import Levels
import PropertyLists

/// A body before content coding, and its metadata.
struct Rendering: ~Copyable {
    var metadata: RepresentationMetadata
    let body: ByteBuffer
    /// The version of a level or a detail.
    var version: ContentHash?

    /// The body in a coding, as a response with these header lines.
    consuming func response(_ coding: ContentCoding, headers: Representation.HeaderLines) -> Response {
        Self.response(body, coding, headers: headers)
    }

    /// A body in a coding, as a response with these header lines.
    static func response(
        _ body: consuming ByteBuffer, _ coding: ContentCoding, headers: Representation.HeaderLines
    ) -> Response {
        unsafe Response(status: 200, headers: headers, takingOver: coded(body, coding).release())
    }

    /// Indents the body, which must be JSON without deep nesting; the tag changes too.
    consuming func indented() -> Rendering {
        var body = ByteBuffer(capacity: body.count * 2)
        var indentation = JSONIndentation()
        indentation.append(self.body.span, to: &body)
        return Rendering(metadata: metadata.indented, body: body, version: version)
    }

    private static func coded(_ body: consuming ByteBuffer, _ coding: ContentCoding) -> ByteBuffer {
        guard coding != .identity else { return body }
        // Most answers become a quarter of their size.
        var coded = ByteBuffer(capacity: body.count / 3 + 64)
        coding.encode(body.span) { coded.append($0) }
        return coded
    }
}

extension Rendering {
    /// Writes a short JSON body about the service itself.
    ///
    /// - Parameter isTagged: whether clients may store it and revalidate it by its tag.
    /// - Throws: `Problem` (500) if it could not be written.
    init(
        vary: String? = nil, headers: Representation.HeaderLines = [], isTagged: Bool = false,
        status write: (inout JSONPropertyListWriter) throws(PropertyListError) -> Void
    ) throws(Problem) {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        do {
            try write(&writer)
            writer.endObject()
            writer.endLine()
            body = try writer.body()
        } catch {
            throw .unwritten
        }
        metadata = RepresentationMetadata(
            contentType: JSONPropertyListWriter.contentType, entityTag: nil,
            cacheControl: isTagged ? "no-cache" : "no-store", vary: vary, added: headers)
        if isTagged { metadata.entityTag = EntityTag.of(ContentHash(of: body.span)) }
    }
}
