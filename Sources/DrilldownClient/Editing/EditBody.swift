import Foundation

/// The bodies of edits, in the form that the service reads.
extension Edit {
    /// The step of a batch.
    var step: Fields {
        var step: Fields
        switch action {
        case .insert(let item, let level, let position, let section):
            step = ["insert": item, "to": .text(level.levelLink), "at": position.value]
            step["section"] = section.map { .integer(Int64($0)) }
        case .put(let fields, let path): step = ["put": .dictionary(fields), "of": .text(path.detailLink)]
        case .patch(let changes, let path): step = ["patch": .dictionary(changes), "of": .text(path.detailLink)]
        case .move(let path, let level, let position, let section):
            step = ["move": .text(path.detailLink), "to": .text(level.levelLink), "at": position.value]
            step["section"] = section.map { .integer(Int64($0)) }
        case .delete(let path): step = ["delete": .text(path.detailLink)]
        }
        step["ifMatch"] = ifMatch.map { .text($0.rawValue) }
        return step
    }

    /// The request for this edit alone.
    var request: Request {
        var request: Request
        switch action {
        case .insert(let item, let level, let position, let section):
            var query = "?at=\(PercentEncoding.encode(position.text))"
            if let section { query += "&section=\(section)" }
            request = Request("POST", level.levelLink + query, json: item)
        case .put(let fields, let path): request = Request("PUT", path.detailLink, json: .dictionary(fields))
        case .patch(let changes, let path): request = Request("PATCH", path.detailLink, json: .dictionary(changes))
        case .move(let path, let level, let position, let section):
            var body: Fields = [
                "from": .text(path.detailLink), "to": .text(level.levelLink), "at": position.value,
            ]
            body["section"] = section.map { .integer(Int64($0)) }
            request = Request("POST", "/moves", json: .dictionary(body))
        case .delete(let path): request = Request("DELETE", path.detailLink, json: nil)
        }
        if let ifMatch { request.header["If-Match"] = "\"\(ifMatch.rawValue)\"" }
        return request
    }
}

extension Request {
    /// An edit with a body of JSON.
    init(_ method: String, _ target: String, json: FieldValue?) {
        self.init(method, target)
        isEdit = true
        guard let json else { return }
        header["Content-Type"] = "application/json"
        body = Data(JSONText.bytes(of: json))
    }
}
