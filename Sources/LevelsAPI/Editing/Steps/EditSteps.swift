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
