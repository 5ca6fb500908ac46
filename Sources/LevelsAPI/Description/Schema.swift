/// Makes JSON schemas (2020-12), which OpenAPI 3.1 uses as they are.
enum Schema {
    /// A schema that only names a type.
    static func plain(_ type: String) -> JSONNode { ["type": .string(type)] }

    static func text(_ summary: String, pattern: String? = nil, format: String? = nil) -> JSONNode {
        let schema: JSONNode = ["type": "string", "description": .string(summary)]
        return schema.adding("format", format.map(JSONNode.string)).adding("pattern", pattern.map(JSONNode.string))
    }

    /// A text, or null.
    static func optionalText(_ summary: String) -> JSONNode {
        ["type": ["string", "null"], "description": .string(summary)]
    }

    static func number(_ summary: String) -> JSONNode {
        ["type": "integer", "minimum": 0, "description": .string(summary)]
    }

    static func flag(_ summary: String) -> JSONNode { ["type": "boolean", "description": .string(summary)] }

    /// Any value that a property list can have, as JSON.
    static func value(_ summary: String) -> JSONNode { ["description": .string(summary)] }

    static func choice(_ summary: String, _ values: [String]) -> JSONNode {
        ["type": "string", "enum": .strings(values), "description": .string(summary)]
    }

    static func list(_ summary: String, of element: JSONNode) -> JSONNode {
        ["type": "array", "description": .string(summary), "items": element]
    }

    /// The schema of this name in the description.
    static func named(_ name: String) -> JSONNode { ["$ref": .string("#/components/schemas/\(name)")] }

    /// The schema of this name, or null.
    static func optional(_ name: String) -> JSONNode { ["anyOf": [named(name), ["type": "null"]]] }

    /// An object whose further members, if it has any, are fields of the document.
    static func fields(_ summary: String, _ members: JSONNode = [:]) -> JSONNode {
        object(summary, [:], optional: members)
            .adding("additionalProperties", ["description": "A field of the item, of any type but null."])
    }

    /// - Parameters:
    ///   - required: the members that it always has.
    ///   - optional: the others.
    static func object(_ summary: String, _ required: JSONNode, optional: JSONNode = [:]) -> JSONNode {
        let members = required.members + optional.members
        let schema: JSONNode = ["type": "object", "description": .string(summary)]
        let names: JSONNode? = required.members.isEmpty ? nil : .strings(required.members.map(\.name))
        return schema.adding("required", names).adding("properties", members.isEmpty ? nil : JSONNode(members))
    }
}
