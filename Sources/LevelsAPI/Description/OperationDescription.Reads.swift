extension OperationDescription {
    private static let coded: [AnswerField] = [.entityTag, .cacheControl, .vary]
    private static let conditions: [RequestField] = [.ifNoneMatch, .ifMatch]
    private static let ofItems: [ProblemKind] = [
        .badPath, .noSuchItem, .notRepresentable, .notAcceptable, .preconditionFailed, .tooManyWaiters, .tooManyAnswers,
    ]
    private static let itemFields: [RequestField] = conditions + [.prefer, .acceptEncoding, .acceptLanguage]

    /// What operations answer that change nothing.
    static var reads: [String: OperationDescription] {
        [
            "GET /": index, "GET /openapi.json": description, "GET /levels": level, "GET /detail": detail,
            "GET /document": document, "GET /changes": changes, "GET /assets": asset, "GET /problems": problems,
            "GET /healthz": health, "GET /readyz": readiness, "GET /metrics": metrics, "GET /browse": browser,
        ]
    }

    private static var page: AnswerDescription.Content {
        AnswerDescription.Content.bytes("text/html", "The page of the web client.")
    }
    private static let pageFields: [AnswerField] = [.contentSecurityPolicy, .contentTypeOptions, .referrerPolicy]

    /// The answers of a GET that has an entity tag.
    private static func tagged(_ answer: AnswerDescription) -> [AnswerDescription] { [answer, answer.notModified] }

    private static var index: OperationDescription {
        OperationDescription(
            id: "getIndex", fields: conditions + [.acceptEncoding],
            answers: tagged(
                AnswerDescription(
                    summary: "The index; to a client that prefers HTML, the web client.",
                    content: [.json(Schema.named("Index")), page], always: coded,
                    sometimes: [.contentEncoding, .link] + pageFields, example: .init(keys: 0, json: Examples.index))),
            problems: [.notAcceptable, .preconditionFailed])
    }

    private static var description: OperationDescription {
        OperationDescription(
            id: "getDescription", fields: conditions + [.acceptEncoding],
            answers: tagged(
                AnswerDescription(
                    summary: "This description.",
                    content: [.json(["type": "object", "description": "An OpenAPI 3.1 description."])],
                    always: coded, sometimes: [.contentEncoding])),
            problems: [.notAcceptable, .preconditionFailed])
    }

    private static var level: OperationDescription {
        OperationDescription(
            id: "getLevel",
            text:
                "A table needs nothing else: row r of section s is `rows[sections[s].start + r]`, and a tap goes to `href`.",
            fields: itemFields,
            answers: tagged(
                AnswerDescription(
                    summary: "The level; with `since`, what changed on it if the server still has that version.",
                    content: [
                        .json(["anyOf": [Schema.named("Level"), Schema.named("LevelChanges")]]), .propertyList,
                    ],
                    always: coded, sometimes: [.contentEncoding, .contentLanguage, .link, .preferenceApplied],
                    example: .init(keys: 1, json: Examples.level))),
            problems: ofItems + [.tooBusy])
    }

    private static var detail: OperationDescription {
        OperationDescription(
            id: "getDetail", fields: itemFields,
            answers: tagged(
                AnswerDescription(
                    summary: "The detail.", content: [.json(Schema.named("Detail")), .propertyList], always: coded,
                    sometimes: [.contentEncoding, .contentLanguage, .preferenceApplied],
                    example: .init(keys: 1, json: Examples.detail))),
            problems: ofItems + [.tooBusy])
    }

    private static var document: OperationDescription {
        OperationDescription(
            id: "getDocument", fields: conditions + [.prefer, .acceptEncoding],
            answers: tagged(
                AnswerDescription(
                    summary: "The document.",
                    content: [
                        .bytes("application/x-plist", "An XML property list."),
                        .json(Schema.value("The item in the document's own shape.")),
                        .bytes("application/octet-stream", "A binary property list."),
                    ],
                    always: coded, sometimes: [.contentEncoding, .preferenceApplied])),
            problems: ofItems)
    }

    private static var changes: OperationDescription {
        OperationDescription(
            id: "getChanges",
            text:
                "With `Accept: text/event-stream`, a stream: `event: change` with a change as `data` and its revision as `id`, or `event: reset`.",
            fields: [.prefer, .lastEventID],
            answers: [
                AnswerDescription(
                    summary: "The changes.",
                    content: [.json(Schema.named("Changes")), .bytes("text/event-stream", "Events.")],
                    always: [.cacheControl, .vary], sometimes: [.preferenceApplied, .accelBuffering],
                    example: .init(keys: 0, json: Examples.changes))
            ],
            problems: [.revisionGone, .tooManyWaiters, .tooManyAnswers])
    }

    private static let assetFields: [AnswerField] = [
        .entityTag, .cacheControl, .lastModified, .acceptRanges, .contentTypeOptions,
    ]
    private static var anyType: AnswerDescription.Content {
        AnswerDescription.Content(type: "*/*", schema: [:])
    }

    private static var asset: OperationDescription {
        OperationDescription(
            id: "getAsset",
            fields: conditions + [.ifModifiedSince, .ifUnmodifiedSince, .range, .ifRange],
            answers: tagged(
                AnswerDescription(
                    summary: "The file.", content: [anyType], always: assetFields, sometimes: [.contentSecurityPolicy]))
                + [
                    AnswerDescription(
                        status: 206, summary: "Ranges of the file.", content: [anyType], always: assetFields,
                        sometimes: [.contentSecurityPolicy, .contentRange])
                ],
            problems: [.badPath, .noSuchFile, .preconditionFailed, .rangeNotSatisfiable, .tooManyFiles])
    }

    private static var problems: OperationDescription {
        OperationDescription(
            id: "getProblems", fields: [.acceptEncoding],
            answers: [
                AnswerDescription(
                    summary: "What the kind of problem means; without a kind, all kinds.",
                    content: [.json(["anyOf": [Schema.named("ProblemKind"), Schema.named("ProblemKinds")]])],
                    always: [.cacheControl, .vary], sometimes: [.contentEncoding],
                    example: .init(keys: 1, json: Examples.problemKind))
            ],
            problems: [.noSuchRoute, .notAcceptable])
    }

    private static var health: OperationDescription {
        OperationDescription(
            id: "getHealth",
            answers: [
                AnswerDescription(
                    summary: "The process answers.", content: [.json(Schema.named("Health"))],
                    example: .init(keys: 0, json: Examples.health))
            ],
            problems: [])
    }

    private static var readiness: OperationDescription {
        OperationDescription(
            id: "getReadiness",
            answers: [
                AnswerDescription(
                    summary: "The state of what is served.", content: [.json(Schema.named("Readiness"))],
                    example: .init(keys: 0, json: Examples.readiness))
            ],
            problems: [.draining])
    }

    private static var metrics: OperationDescription {
        OperationDescription(
            id: "getMetrics",
            answers: [
                AnswerDescription(
                    summary: "Counts and gauges in the text format of Prometheus.",
                    content: [.bytes("text/plain", "One metric a line.")], always: [.cacheControl, .contentTypeOptions])
            ],
            problems: [])
    }

    private static var browser: OperationDescription {
        OperationDescription(
            id: "getBrowser",
            text: "The page shows the place that its own address names; an unknown one is shown as not found.",
            fields: conditions + [.acceptEncoding],
            answers: tagged(
                AnswerDescription(
                    summary: "The page of the web client.", content: [page], always: coded + pageFields,
                    sometimes: [.contentEncoding])),
            problems: [.noSuchRoute, .notAcceptable, .preconditionFailed])
    }
}
