internal import PropertyLists

extension PropertyListError {
    /// The reason as a whole sentence.
    var sentence: String { EditRefusal.sentence(reason) }
}

extension EditRefusal {
    /// A reason as a whole sentence, with a capital letter and a full stop.
    static func sentence(_ reason: String) -> String {
        reason.prefix(1).uppercased() + reason.dropFirst() + (reason.hasSuffix(".") ? "" : ".")
    }

    /// A conflict with the document as it is.
    static func conflict(_ reason: String) -> EditRefusal { EditRefusal(.conflict, sentence(reason)) }

    /// What breaks a rule, and where in the item it is.
    static func invalid(_ reason: String, at pointer: String = "") -> EditRefusal {
        EditRefusal(.invalid(pointer: pointer), sentence(reason))
    }

    /// The refusal of a step of a batch.
    func inStep(_ number: Int) -> EditRefusal { EditRefusal(kind, detail, step: number) }

    init(_ error: TreeError) { self = error == .outOfMemory ? .outOfMemory : .conflict(error.description) }
}
