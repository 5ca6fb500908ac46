import Bytes
import ContentCodings
import HTTPServer
import Levels
import PropertyLists

/// A representation with its body, before that is coded and becomes a response.
struct Rendering: ~Copyable {
    var representation: Representation
    let body: ByteBuffer
    /// The version of a level or a detail.
    var version: ContentHash?

    /// The body in a coding, as a response with these header lines.
    consuming func response(_ coding: ContentCoding, headers: [(name: String, value: String)]) -> Response {
        unsafe Response(status: 200, headers: headers, takingOver: Self.coded(body, coding).release())
    }

    /// The same laid out for people, with a tag of its own; what it holds is JSON, and not deep.
    consuming func indented() -> Rendering {
        var body = ByteBuffer(capacity: body.count * 2)
        var indentation = JSONIndentation()
        indentation.append(self.body.span, to: &body)
        return Rendering(representation: representation.indented, body: body, version: version)
    }

    static func coded(_ body: consuming ByteBuffer, _ coding: ContentCoding) -> ByteBuffer {
        guard coding != .identity else { return body }
        // Most answers become a quarter of what they were.
        var coded = ByteBuffer(capacity: body.count / 3 + 64)
        coding.encode(body.span) { coded.append($0) }
        return coded
    }
}

extension Rendering {
    /// A short JSON body about the service itself, which nobody is to keep.
    ///
    /// - Parameter isTagged: whether it may be kept and asked for again by its tag.
    /// - Throws: `Problem` (500) where it could not be written.
    init(
        vary: String? = nil, headers: [(name: String, value: String)] = [], isTagged: Bool = false,
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
        representation = Representation(
            contentType: JSONPropertyListWriter.contentType, entityTag: nil,
            cacheControl: isTagged ? "no-cache" : "no-store", vary: vary, added: headers)
        if isTagged { representation.entityTag = ItemAnswer.entityTag(ContentHash(of: body.span)) }
    }
}
