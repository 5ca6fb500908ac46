/// The schemas of the bodies and the answers of edits.
extension Schema {
    static var edits: [JSONNode.Member] {
        [
            ("Item", item), ("ItemFields", itemFields), ("MergePatch", mergePatch), ("Document", document),
            ("Move", move), ("EditSteps", editSteps), ("Edits", done), ("ReplacedDocument", replaced),
            ("Reload", reload),
        ]
    }

    private static var item: JSONNode {
        [
            "description": "An item in the document's own shape: a title, or a dictionary.",
            "anyOf": [["type": "string"], named("ItemFields")],
        ]
    }

    private static var itemFields: JSONNode {
        fields(
            "The dictionary of an item. The names are those of the document, which can differ from these (`--keys`).",
            [
                "Title": [
                    "type": ["string", "number"], "description": "The title; an item with a `Key` can do without.",
                ],
                "Key": text("Its segment in a path, in place of the title."),
                "Children": list("The items below; lists of items are sections.", of: [:]),
            ])
    }

    private static var mergePatch: JSONNode {
        [
            "type": "object", "description": "The fields to change; null takes a field away.",
            "additionalProperties": [:],
        ]
    }

    private static var document: JSONNode {
        [
            "description": "A whole document: a dictionary or an array with the rows of the first level.",
            "anyOf": [["type": "object"], ["type": "array", "items": named("Item")]],
        ]
    }

    private static var place: JSONNode {
        [
            "description": "The place among the rows: an end, the number of rows before it, or a row beside it.",
            "anyOf": [
                ["type": "integer", "minimum": 0],
                ["type": "string", "pattern": "^(first|last|before:[\\s\\S]*|after:[\\s\\S]*)$"],
            ],
        ]
    }

    private static var section: JSONNode {
        number("The number of a section, from 0.")
    }
    private static var condition: JSONNode {
        text("An entity tag, a `version` or (not of a level) a `fieldsVersion`, of the state before all steps.")
    }
    private static var itemLink: JSONNode {
        text("A link to an item's detail.", pattern: "^/detail(/[^?#]*)?$")
    }
    private static var levelLink: JSONNode {
        text("A link to a level.", pattern: "^/levels(/[^?#]*)?$")
    }

    /// An object with only these members.
    private static func closed(_ schema: JSONNode) -> JSONNode { schema.adding("additionalProperties", false) }

    private static var move: JSONNode {
        closed(
            object(
                "An item, and its new place.", ["from": itemLink, "to": levelLink],
                optional: ["at": place, "section": section]))
    }

    private static var steps: [JSONNode] {
        [
            object(
                "Adds an item.", ["insert": named("Item"), "to": levelLink],
                optional: ["at": place, "section": section, "ifMatch": condition]),
            object(
                "Replaces the fields of an item.", ["put": named("Item"), "of": itemLink],
                optional: ["ifMatch": condition]),
            object(
                "Changes fields of an item.", ["patch": named("MergePatch"), "of": itemLink],
                optional: ["ifMatch": condition]),
            object(
                "Moves an item.", ["move": itemLink, "to": levelLink],
                optional: ["at": place, "section": section, "ifMatch": condition]),
            object("Removes an item.", ["delete": itemLink], optional: ["ifMatch": condition]),
        ]
    }

    private static var editSteps: JSONNode {
        closed(
            object(
                "Steps that are done in this order, all or none.",
                [
                    "edits": list("The steps.", of: ["oneOf": .list(steps.map(closed))])
                        .adding("minItems", 1).adding("maxItems", .integer(EditSteps.limit.count))
                ]))
    }

    private static var done: JSONNode {
        object(
            "What was done.",
            [
                "revision": revision,
                "edits": list(
                    "A link to the item of each step; null for an item that is not there after all of them.",
                    of: [
                        "anyOf": [
                            object("A link.", ["href": text("The link to the detail.", pattern: "^/detail/")]),
                            ["type": "null"],
                        ]
                    ]),
            ])
    }

    private static var replaced: JSONNode {
        object(
            "The new document.", ["revision": revision, "items": number("The number of items.")])
    }

    private static var reload: JSONNode {
        object(
            "How the load ended.",
            ["outcome": choice("Whether anything changed.", ["published", "unchanged"]), "revision": revision])
    }
}
