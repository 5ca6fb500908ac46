import Levels
import PropertyLists

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
