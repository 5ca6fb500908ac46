extension OperationDescription {
    private static let ofItems: [ProblemKind] = [.badPath, .noSuchItem]
    private static let detailFields: [AnswerField] = [
        .entityTag, .vary, .contentEncoding, .contentLanguage, .contentLocation,
    ]
    /// The detail, or only a link if the client accepts no form that can carry it.
    private static var shown: [AnswerDescription.Content] {
        [
            .json(["anyOf": [Schema.named("Detail"), Schema.named("Edits")]]), .propertyList,
        ]
    }
    private static let fields: [RequestField] = [.ifMatch, .ifNoneMatch]
    private static let itemFields: [RequestField] = fields + [.acceptEncoding, .acceptLanguage]

    private static func changed(_ summary: String, _ example: AnswerDescription.Example? = nil) -> AnswerDescription {
        AnswerDescription(summary: summary, content: shown, sometimes: detailFields, example: example)
    }

    private static func made(_ example: AnswerDescription.Example? = nil) -> AnswerDescription {
        AnswerDescription(
            status: 201, summary: "The detail of the new item.", content: shown, sometimes: detailFields + [.location],
            example: example)
    }

    /// What operations answer that change the document.
    static var edits: [String: OperationDescription] {
        [
            "POST /levels": insert, "PUT /detail": put, "PATCH /detail": patch, "DELETE /detail": delete,
            "PUT /document": replace, "POST /moves": move, "POST /edits": steps, "POST /reload": reload,
        ]
    }

    private static var insert: OperationDescription {
        OperationDescription(
            id: "addItem", fields: itemFields, body: Schema.named("Item"),
            bodyExample: .init(keys: 1, json: Examples.newItem),
            answers: [made(.init(keys: 1, json: Examples.madeItem))], problems: ofItems)
    }

    private static var put: OperationDescription {
        OperationDescription(
            id: "putItem", text: "The items below stay. An item that does not exist is made, last on its level.",
            fields: itemFields, body: Schema.named("Item"), bodyExample: .init(keys: 2, json: Examples.putItem),
            answers: [changed("The detail of the changed item."), made()], problems: ofItems)
    }

    private static var patch: OperationDescription {
        OperationDescription(
            id: "patchItem", text: "A merge patch (RFC 7396) of the fields: null takes a field away.",
            fields: itemFields, body: Schema.named("MergePatch"), bodyExample: .init(keys: 2, json: Examples.patch),
            answers: [changed("The detail of the changed item.")], problems: ofItems)
    }

    private static var delete: OperationDescription {
        OperationDescription(
            id: "deleteItem", fields: fields,
            answers: [AnswerDescription(status: 204, summary: "The item is gone.")], problems: ofItems)
    }

    private static var replace: OperationDescription {
        OperationDescription(
            id: "putDocument", fields: fields, body: Schema.named("Document"),
            answers: [
                AnswerDescription(
                    summary: "The document was replaced.", content: [.json(Schema.named("ReplacedDocument"))],
                    sometimes: [.entityTag])
            ],
            problems: [])
    }

    private static var move: OperationDescription {
        OperationDescription(
            id: "moveItem", fields: itemFields, body: Schema.named("Move"),
            bodyExample: .init(keys: 0, json: Examples.move),
            answers: [changed("The detail of the item at its new place.")], problems: ofItems)
    }

    private static var steps: OperationDescription {
        OperationDescription(
            id: "doEdits", body: Schema.named("EditSteps"), bodyExample: .init(keys: 0, json: Examples.steps),
            answers: [
                AnswerDescription(
                    summary: "All steps were done.", content: [.json(Schema.named("Edits"))])
            ],
            problems: ofItems)
    }

    private static var reload: OperationDescription {
        OperationDescription(
            id: "reload",
            answers: [
                AnswerDescription(
                    summary: "The source was read.", content: [.json(Schema.named("Reload"))])
            ],
            problems: [.documentRefused])
    }
}
