import Levels
import PropertyLists

/// The document of `POST /edits`: steps that are done in this order, all or none.
struct EditSteps {
    let steps: [EditStep]

    /// How many steps there may be, for the reader of the body.
    struct Limit: Sendable {
        let key = "edits"
        let count = 1_000
        let problem = Problem.invalidContent("'edits' must be an array of 1 to 1000 steps.", at: "/edits")
    }

    static let limit = Limit()

    /// - Throws: `Problem` (422) for anything else.
    init(_ value: PropertyListValue) throws(Problem) {
        let members = try BodyMembers(value, #"The body must be an object with the member "edits""#)
        try members.check(["edits"])
        guard case .array(let values)? = members["edits"], (1...Self.limit.count).contains(values.count) else {
            throw Self.limit.problem
        }
        var steps: [EditStep] = []
        steps.reserveCapacity(values.count)
        for (number, value) in values.enumerated() {
            steps.append(try EditStep(value, at: "/edits/\(number)", number: number))
        }
        self.steps = steps
    }
}

/// One step of `POST /edits`, and the condition on it.
struct EditStep {
    /// What a step does; the name of the member that says so.
    enum Verb: String, CaseIterable {
        case insert, put, patch, move, delete

        /// The other members that such a step may have.
        var members: [String] {
            switch self {
            case .insert, .move: ["to", "at", "section", "ifMatch"]
            case .put, .patch: ["of", "ifMatch"]
            case .delete: ["ifMatch"]
            }
        }
    }

    let edit: Edit
    /// Where its item is in the body (RFC 6901).
    let pointer: String
    let condition: EditCondition?

    /// - Throws: `Problem` (422) for anything other than a step.
    init(_ value: PropertyListValue, at pointer: String, number: Int) throws(Problem) {
        let members = try BodyMembers(value, at: pointer, step: number, "A step must be an object")
        let verb = try Self.verb(of: members)
        try members.check([verb.rawValue] + verb.members)
        let content = members[verb.rawValue] ?? .null
        self.pointer = pointer + JSONPointer.step(verb.rawValue)
        let subject: (Inquiry.Subject, ItemPath)
        switch verb {
        case .insert:
            let (to, place) = (try members.path("to", "/levels"), try members.place())
            edit = .insert(content, below: to, at: place.position, section: place.section)
            subject = (.level, to)
        case .move:
            let (from, to) = (try members.path("move", "/detail"), try members.path("to", "/levels"))
            let place = try members.place()
            edit = .move(from, below: to, at: place.position, section: place.section)
            subject = (.detail, from)
        case .put, .patch:
            let path = try members.path("of", "/detail")
            edit = verb == .put ? .put(content, at: path, onlyIfNew: false) : .patch(content, at: path)
            subject = (.detail, path)
        case .delete:
            let path = try members.path("delete", "/detail")
            edit = .delete(path)
            subject = (.detail, path)
        }
        condition = try members.text("ifMatch").map { EditCondition($0, on: subject.0, at: subject.1, step: number) }
    }

    private static func verb(of members: BodyMembers) throws(Problem) -> Verb {
        let verbs = members.names.compactMap(Verb.init)
        if verbs.count == 1 { return verbs[0] }
        let names = Verb.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalidContent(
            "A step must have exactly one of the members \(names).", at: members.pointer, step: members.step)
    }
}

/// The document of `POST /moves`.
struct MoveDocument {
    let edit: Edit
    /// The path of the item that moves.
    let from: ItemPath

    /// - Throws: `Problem` (422) for anything else.
    init(_ value: PropertyListValue) throws(Problem) {
        let members = try BodyMembers(value, #"The body must be an object with the members "from" and "to""#)
        try members.check(["from", "to", "at", "section"])
        from = try members.path("from", "/detail")
        let to = try members.path("to", "/levels")
        let place = try members.place()
        edit = .move(from, below: to, at: place.position, section: place.section)
    }
}
