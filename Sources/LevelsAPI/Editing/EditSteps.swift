import Levels
import PropertyLists

/// An edit, and the condition on it.
struct EditStep {
    let edit: Edit
    let condition: EditCondition?
    /// The pointer to the edit's item in the body (RFC 6901); nil if `at` and `section` are in the query.
    let pointer: String?

    init(edit: Edit, condition: EditCondition?, at pointer: String? = nil) {
        self.edit = edit
        self.condition = condition
        self.pointer = pointer
    }

    /// - Throws: `Problem` (422) for anything other than a step of `POST /edits`.
    init(value: PropertyListValue, at pointer: String, number: Int, under basePath: String) throws(Problem) {
        let members = try BodyMembers(
            value: value, at: pointer, step: number, under: basePath, "A step must be an object")
        let operations = members.names.compactMap { name in EditOperation.all.first { $0.name == name } }
        guard operations.count == 1, let operation = operations.first else {
            let names = EditOperation.all.map(\.name).joined(separator: ", ")
            throw .invalidContent("A step must have exactly one of the members \(names).", at: pointer, step: number)
        }
        try members.check([operation.name] + operation.members + ["ifMatch"])
        let (edit, path) = try operation.read(operation.name, members)
        let condition = try members.text("ifMatch").map { text in
            EditCondition(text: text, on: operation.subject, at: path, step: number)
        }
        self.init(edit: edit, condition: condition, at: pointer + JSONPointer.step(operation.name))
    }
}

/// A kind of step of `POST /edits`.
struct EditOperation: Sendable {
    /// The member that names the operation.
    let name: String
    /// The other members of a step of this kind, except `ifMatch`.
    let members: [String]
    /// The subject of the condition `ifMatch`.
    let subject: Question.Subject
    /// Reads the edit, and the path of the item to which the condition applies.
    let read: @Sendable (_ name: String, BodyMembers) throws(Problem) -> (Edit, ItemPath)

    static let all = [insert, put, patch, move, delete]

    private static let insert = EditOperation(name: "insert", members: ["to", "at", "section"], subject: .level) {
        (name, members) throws(Problem) in
        let (to, place) = (try members.path("to", root: "/levels"), try members.place())
        return (.insert(members[name] ?? .null, below: to, at: place.position, section: place.section), to)
    }

    private static let put = EditOperation(name: "put", members: ["of"], subject: .detail) {
        (name, members) throws(Problem) in
        let path = try members.path("of", root: "/detail")
        return (.put(members[name] ?? .null, at: path, onlyIfNew: false), path)
    }

    private static let patch = EditOperation(name: "patch", members: ["of"], subject: .detail) {
        (name, members) throws(Problem) in
        let path = try members.path("of", root: "/detail")
        return (.patch(members[name] ?? .null, at: path), path)
    }

    private static let move = EditOperation(name: "move", members: ["to", "at", "section"], subject: .detail) {
        (name, members) throws(Problem) in
        let (from, to) = (try members.path(name, root: "/detail"), try members.path("to", root: "/levels"))
        let place = try members.place()
        return (.move(from, below: to, at: place.position, section: place.section), from)
    }

    private static let delete = EditOperation(name: "delete", members: [], subject: .detail) {
        (name, members) throws(Problem) in
        let path = try members.path(name, root: "/detail")
        return (.delete(path), path)
    }

    /// Reads the body of `POST /moves`, whose links may begin with `basePath`.
    static func move(_ value: PropertyListValue, under basePath: String) throws(Problem) -> (Edit, from: ItemPath) {
        let members = try BodyMembers(
            value: value, under: basePath, #"The body must be an object with the members "from" and "to""#)
        try members.check(["from"] + move.members)
        return try move.read("from", members)
    }
}

/// The body of `POST /edits`: a list of steps. Either all steps are done, in this order, or none.
enum EditSteps {
    /// The maximum number of steps.
    private static let most = 1_000

    /// - Parameter basePath: the path with which links may begin.
    static func read(_ value: PropertyListValue, under basePath: String) throws(Problem) -> [EditStep] {
        let members = try BodyMembers(
            value: value, under: basePath, #"The body must be an object with the member "edits""#)
        try members.check(["edits"])
        guard case .array(let values)? = members["edits"], (1...most).contains(values.count) else {
            throw .invalidContent("'edits' must be an array of 1 to \(most) steps.", at: "/edits")
        }
        var steps: [EditStep] = []
        steps.reserveCapacity(values.count)
        for (number, value) in values.enumerated() {
            steps.append(try EditStep(value: value, at: "/edits/\(number)", number: number, under: basePath))
        }
        return steps
    }
}
