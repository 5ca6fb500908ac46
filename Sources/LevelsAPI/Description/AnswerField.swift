/// The header fields of answers, for the description.
///
/// Left out are those that HTTP itself needs, and those for pages of other origins.
enum AnswerField: String, CaseIterable {
    case request = "Drilldown-Request"
    case entityTag = "ETag"
    case cacheControl = "Cache-Control"
    case vary = "Vary"
    case contentEncoding = "Content-Encoding"
    case contentLanguage = "Content-Language"
    case contentLocation = "Content-Location"
    case location = "Location"
    case link = "Link"
    case preferenceApplied = "Preference-Applied"
    case lastModified = "Last-Modified"
    case acceptRanges = "Accept-Ranges"
    case contentRange = "Content-Range"
    case contentTypeOptions = "X-Content-Type-Options"
    case contentSecurityPolicy = "Content-Security-Policy"
    case referrerPolicy = "Referrer-Policy"
    case accelBuffering = "X-Accel-Buffering"
    case retryAfter = "Retry-After"
    case authenticate = "WWW-Authenticate"
    case acceptPatch = "Accept-Patch"
    case acceptEncoding = "Accept-Encoding"

    var summary: String {
        switch self {
        case .request: "The identifier of the request, as in the log: the trace of `traceparent`, or a new one."
        case .entityTag: "The strong entity tag; each content coding and layout has one of its own."
        case .cacheControl: "`no-store`, or what the operator has set, by default `no-cache`."
        case .vary: "The request fields that the answer depends on."
        case .contentEncoding: "The content coding: `br` or `gzip`."
        case .contentLanguage: "The language of the answer from a document with translations."
        case .contentLocation: "The link to the detail that the body shows."
        case .location: "The link to the new item's detail."
        case .link: "A link to the next page (`rel=\"next\"`), or to this description (`rel=\"service-desc\"`)."
        case .preferenceApplied: "The seconds of `Prefer: wait` that were applied."
        case .lastModified: "When the file was changed."
        case .acceptRanges: "`bytes`."
        case .contentRange: "The range of the file that the body is, or the length of the file."
        case .contentTypeOptions: "`nosniff`."
        case .contentSecurityPolicy: "Keeps scripts of an SVG image, or of another origin, from running."
        case .referrerPolicy: "`no-referrer`: links of the page do not tell where it was."
        case .accelBuffering: "`no`, which keeps nginx from holding events back."
        case .retryAfter: "The seconds after which the request can be repeated."
        case .authenticate: "`Bearer`: the edit needs a token."
        case .acceptPatch: "The media types of a body of PATCH."
        case .acceptEncoding: "`identity`: a body is read without content coding."
        }
    }

    private var schema: JSONNode {
        switch self {
        case .request: ["type": "string", "pattern": "^[0-9a-f]{32}$"]
        case .entityTag: ["type": "string", "pattern": "^\"[^\"]+\"$"]
        case .retryAfter: ["type": "integer", "minimum": 1]
        default: ["type": "string"]
        }
    }

    /// The headers of the components: each field twice, of answers that can have it and of those that always have it.
    static var components: [JSONNode.Member] {
        allCases.flatMap { field -> [JSONNode.Member] in
            let header: JSONNode = ["description": .string(field.summary), "schema": field.schema]
            return [(field.rawValue, header), (field.key(isRequired: true), header.adding("required", true))]
        }
    }

    private func key(isRequired: Bool) -> String { isRequired ? "\(rawValue).required" : rawValue }

    /// The header of an answer, as a reference to the components.
    func named(isRequired: Bool) -> JSONNode.Member {
        (rawValue, ["$ref": .string("#/components/headers/\(key(isRequired: isRequired))")])
    }
}

extension ProblemKind {
    /// The header fields that a problem of this kind can have, beside those of every problem.
    var answerFields: [AnswerField] {
        let names = row.headers.map(\.name) + row.sometimes
        return AnswerField.allCases.filter { names.contains($0.rawValue) }
    }
}
