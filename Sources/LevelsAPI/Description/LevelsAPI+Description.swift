import ContentCodings
import HTTPServer
import Levels

extension LevelsAPI {
    /// `GET /openapi.json`.
    func describe(_ call: Call) throws(Problem) -> Response {
        var query = LevelQuery()
        try query.readAnswer(call.query)
        let plain = try description.body(isIndented: query.isIndented, .identity)
        let coding = try call.negotiation.coding(ofBytes: plain.count)
        let compact = try description.body(isIndented: false, .identity)
        let tagged = RepresentationMetadata(
            contentType: "application/json", entityTag: EntityTag.of(ContentHash(of: compact.span)),
            cacheControl: "no-cache", vary: "Accept-Encoding, Accept")
        let metadata = query.isIndented ? tagged.indented : tagged
        let lines = selection.header.lines(of: metadata, coding, for: call.negotiation.origin)
        if try Condition(call.request).isNotModified(metadata.entityTag(coding)) {
            return Response(status: 304, headers: lines)
        }
        let body = try description.body(isIndented: query.isIndented, coding)
        return Response(status: 200, headers: lines, body: body)
    }
}
