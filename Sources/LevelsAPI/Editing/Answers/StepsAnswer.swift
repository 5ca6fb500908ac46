import Levels
import PropertyLists

/// The answers that tell the revision of an edit.
enum StepsAnswer {
    /// `{"revision":…,"edits":[…]}`: a link to the item of each step, or null if it is not there any more.
    static func rendered(_ snapshot: Snapshot, _ links: [String?]) throws(Problem) -> Rendering {
        try Rendering { (writer) throws(PropertyListError) in
            try writer.member("revision", snapshot.revision)
            writer.member("edits")
            writer.beginList()
            for link in links {
                if let link {
                    writer.beginObject()
                    try writer.member("href", link)
                    writer.endObject()
                } else {
                    writer.null()
                }
            }
            writer.endList()
        }
    }

    /// `{"revision":…,"items":…}`: the document was replaced.
    ///
    /// - Parameter tag: the entity tag of the new document.
    static func rendered(_ snapshot: Snapshot, tag: String?) throws(Problem) -> Rendering {
        try Rendering(headers: tag.map { [("ETag", $0)] } ?? []) { (writer) throws(PropertyListError) in
            try writer.member("revision", snapshot.revision)
            writer.member("items", snapshot.itemCount)
        }
    }

    /// `{"outcome":…,"revision":…}`: the source was loaded again.
    static func rendered(_ outcome: StaticString, _ snapshot: Snapshot) throws(Problem) -> Rendering {
        try Rendering { (writer) throws(PropertyListError) in
            try writer.member("outcome", String(describing: outcome))
            try writer.member("revision", snapshot.revision)
        }
    }
}
