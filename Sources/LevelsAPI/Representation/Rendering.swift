import Bytes
import ContentCodings
import HTTPServer
import Heap
import Levels
import PropertyLists

/// A body before content coding, and its metadata.
struct Rendering: ~Copyable {
    var metadata: RepresentationMetadata
    let body: ByteBuffer
    /// The version of a level or a detail.
    var version: ContentHash?

    /// The body in a coding, as a response with these header lines.
    ///
    /// - Throws: `Problem` (503) if there is not enough memory.
    consuming func response(
        _ coding: ContentCoding, headers: Representation.HeaderLines
    ) throws(Problem) -> Response { try Self.response(body, coding, headers: headers) }

    /// A body in a coding, as a response with these header lines.
    ///
    /// - Throws: `Problem` (503) if there is not enough memory.
    static func response(
        _ body: consuming ByteBuffer, _ coding: ContentCoding, headers: Representation.HeaderLines
    ) throws(Problem) -> Response {
        let coded = try coded(body, coding)
        guard !coded.isIncomplete, MemoryBudget.hasRoom(forBody: coded.count) else { throw .outOfMemory }
        return Response(status: 200, headers: headers, body: Response.Body(coded))
    }

    /// Indents the body, which must be JSON without deep nesting; the tag changes too.
    consuming func indented() -> Rendering {
        var body = ByteBuffer(capacity: body.count * 2)
        var indentation = JSONIndentation()
        indentation.append(self.body.span, to: &body)
        return Rendering(metadata: metadata.indented, body: body, version: version)
    }

    private static func coded(_ body: consuming ByteBuffer, _ coding: ContentCoding) throws(Problem) -> ByteBuffer {
        guard coding != .identity else { return body }
        // Most answers become a quarter of their size.
        var coded = ByteBuffer(capacity: body.count / 3 + 64)
        guard coding.encode(body.span, to: { coded.append($0) }) else { throw .outOfMemory }
        return coded
    }
}

extension Response.Body {
    /// Takes over the memory of a buffer.
    convenience init(_ buffer: consuming ByteBuffer) { unsafe self.init(takingOver: buffer.release()) }
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
