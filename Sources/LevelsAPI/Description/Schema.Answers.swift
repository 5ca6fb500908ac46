/// The schemas of the answers about levels and items.
extension Schema {
    static var answers: [JSONNode.Member] {
        [
            ("Link", link), ("Section", section), ("Control", control), ("Row", row), ("Level", level),
            ("LevelChanges", levelChanges), ("Position", position), ("Detail", detail),
        ]
    }

    private static var link: JSONNode {
        object(
            "An item, and the way to it.",
            ["title": text("The title of the item."), "href": text("A link in canonical form.", pattern: "^/")])
    }

    private static var section: JSONNode {
        object(
            "A run of rows. Row r of the section is `rows[start + r]` of the whole level.",
            [
                "title": optionalText("The header of the section."),
                "index": optionalText("The letter for a table's index."),
                "start": number("The position of its first row."),
                "count": number("The number of its rows."),
            ],
            optional: ["footer": text("The text below the section.")])
    }

    private static var option: JSONNode {
        object(
            "A value that can be chosen.", ["title": text("What is shown."), "value": value("What is stored.")])
    }

    private static var control: JSONNode {
        object(
            "How the row is shown and changed on a settings page.",
            [
                "type": text(
                    "The kind of control, such as `ToggleSwitch`; of a settings bundle, as the page names it."),
                "key": optionalText("The name under which the value is stored."),
                "value": value("The current value; null if there is none."),
            ],
            optional: [
                "options": list("The values that can be chosen.", of: option),
                "choice": value("The row's own value in a radio group."),
                "min": value("The least value of a slider."), "max": value("The greatest value of a slider."),
                "trueValue": value("The value of a switch that is on."),
                "falseValue": value("The value of a switch that is off."),
                "secure": flag("Whether the text is hidden."), "keyboard": value("The keyboard for the text."),
                "tag": value("The tag of the item."),
            ])
    }

    private static var row: JSONNode {
        object(
            "An item as the level above shows it.",
            [
                "key": text("Its segment in a path, unique among its siblings."),
                "version": text("A hash of what the row shows.", pattern: "^[A-Za-z0-9_-]{8}$"),
                "title": text("The title."),
                "leaf": flag("Whether it has no rows below it."),
                "count": number("The number of rows below it."),
                "href": text("Where a tap goes: a level, or the detail of a leaf.", pattern: "^/(levels|detail)/"),
                "fields": fields("The fields that the row shows."),
            ],
            optional: [
                "fieldsVersion": fieldsVersion, "control": named("Control"),
                "trail": list("The titles between the level and a hit of `q`.", of: ["type": "string"]),
                "indent": number("The depth of a row of an outline below the level."),
                "expanded": flag("Whether its own rows follow in the outline."),
                "first": flag("Whether it is the first of its siblings."),
                "last": flag("Whether it is the last of its siblings."),
                "error": text("Why the level below could not be read."),
            ])
    }

    /// The members that a level has before its rows.
    private static var levelHead: [JSONNode.Member] {
        [
            ("title", text("The title of the item whose level this is.")),
            ("href", text("The link to the level.", pattern: "^/levels/")),
            ("detail", text("The link to the item's detail.", pattern: "^/detail/")),
            ("version", version),
            ("depth", number("How many items are above.")),
            ("leaf", flag("Whether the item has no rows.")),
            ("ancestors", list("The items above, from the root.", of: named("Link"))),
            ("count", number("The number of rows of all pages.")),
            ("sections", list("The sections of all pages; at least one.", of: named("Section")).adding("minItems", 1)),
        ]
    }

    private static var next: JSONNode {
        optionalText("The link of the next page; null at the end.")
    }
    private static var start: JSONNode {
        number("The position of the page's first row, if the answer is a page.")
    }
    private static var error: JSONNode {
        text("Why the level could not be read.")
    }

    private static var level: JSONNode {
        levelObject(
            "The rows of one level, or a page of them.", [("rows", list("The rows, in order.", of: named("Row")))])
    }

    private static var levelChanges: JSONNode {
        levelObject(
            "What changed on a level since the version in `since`. Take out `removed` and `moved`, put in `inserted` and `moved` by ascending `at`, and replace `updated`.",
            [
                ("since", text("The version that the client has.")),
                ("removed", list("The keys of rows that are gone.", of: ["type": "string"])),
                ("inserted", list("New rows.", of: placedRow)),
                (
                    "moved",
                    list(
                        "Rows at a new place.",
                        of: object("A row's new place.", ["at": at, "key": text("The key of the row.")]))
                ),
                ("updated", list("Rows that show something new.", of: placedRow)),
            ])
    }

    private static var at: JSONNode {
        number("The position in the new list.")
    }
    private static var placedRow: JSONNode {
        object("A row and its place.", ["at": at, "row": named("Row")])
    }

    private static func levelObject(_ summary: String, _ rows: [JSONNode.Member]) -> JSONNode {
        let required = levelHead + rows + [("next", next)]
        let properties = required + [("start", start), ("error", error)]
        return [
            "type": "object", "description": .string(summary), "required": .strings(required.map(\.name)),
            "properties": JSONNode(properties),
        ]
    }

    private static var version: JSONNode {
        text(
            "A hash of the answer: its entity tag without the quotes.", pattern: "^[A-Za-z0-9_-]{22}$")
    }

    private static var fieldsVersion: JSONNode {
        text(
            "A hash of the fields of the item alone, for `If-Match` of edits; in rows only with `fields=*`.",
            pattern: "^[A-Za-z0-9_-]{8}$")
    }

    private static var position: JSONNode {
        object(
            "Where an item is among its siblings.",
            [
                "index": number("Its position."), "of": number("The number of siblings, with itself."),
                "section": number("The number of its section."), "first": flag("Whether it is the first."),
                "last": flag("Whether it is the last."),
            ])
    }

    private static var detail: JSONNode {
        object(
            "The fields of one item.",
            [
                "title": text("The title."), "href": text("The link to the detail.", pattern: "^/detail/"),
                "level": text("The link to the item's level.", pattern: "^/levels/"), "version": version,
                "fieldsVersion": fieldsVersion,
                "depth": number("How many items are above."), "leaf": flag("Whether the item has no rows."),
                "count": number("The number of its rows."),
                "ancestors": list("The items above, from the root.", of: named("Link")), "position": named("Position"),
                "previous": optional("Link"), "next": optional("Link"), "firstChild": optional("Link"),
                "lastChild": optional("Link"),
                "fields": fields("The item's dictionary as it is in the document, without its structure."),
            ],
            optional: ["control": named("Control"), "error": error])
    }
}
