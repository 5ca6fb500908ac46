import Bytes
import Levels
import PropertyLists

/// What one publication changed: an entry of `/changes` (manual, Refresh).
///
/// It is a class, because one entry is sent to many clients and never changes.
final class Change: Sendable {
    /// The revisions before and after the publication.
    let since, revision: String
    /// The entry as an event of a stream.
    let event: [UInt8]
    /// The position of the entry in the event.
    private let entry: Range<Int>

    /// Compares two snapshots; linear in the levels that differ and their rows.
    ///
    /// - Parameter arrangements: keeps the orders of large levels.
    init(
        from old: Snapshot, to new: Snapshot, _ arrangements: ArrangementCache = ArrangementCache(bytes: 0)
    ) {
        since = old.revision
        revision = new.revision
        let difference = TreeDifference(from: old, to: new, arrangements)
        let json = Self.json(difference, of: new)
        event = Self.event(named: "change", revision: new.revision, data: json)
        entry = event.count - 2 - json.count..<event.count - 2
    }

    /// Writes the entry.
    func write(to writer: inout JSONPropertyListWriter) {
        let event = event
        writer.rawValue(event.span.extracting(entry))
    }

    /// The approximate memory use, in bytes.
    var cost: Int { event.count + 256 }

    /// Formats an event of a stream (HTML, section 9.2.5); the data must be one line.
    static func event(named name: String, revision: String, data: [UInt8]) -> [UInt8] {
        Array("event: \(name)\nid: \(revision)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    private static func json(_ difference: TreeDifference, of snapshot: Snapshot) -> [UInt8] {
        // This cannot fail: a JSON writer accepts any text, and every container is closed.
        do { return try written(difference, of: snapshot) } catch { return Array("{}".utf8) }
    }

    private static func written(
        _ difference: TreeDifference, of snapshot: Snapshot
    ) throws(PropertyListError) -> [UInt8] {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        try writer.member("revision", snapshot.revision)
        try writer.member("at", JSONText.date(snapshot.loadedAt.rounded(.down) - CivilDate.unixEpochOffset))
        try writer.member("by", snapshot.cause.text)
        try write(difference.levels, as: "levels", to: &writer)
        try write(difference.details, as: "details", to: &writer)
        if difference.isTruncated { writer.member("truncated", true) }
        writer.endObject()
        let body = try writer.body()
        return Array(copying: body.span)
    }

    private static func write(
        _ links: [String], as name: StaticString, to writer: inout JSONPropertyListWriter
    ) throws(PropertyListError) {
        writer.member(name)
        writer.beginList()
        for link in links { try writer.text(link) }
        writer.endList()
    }
}

extension Snapshot.Cause {
    /// Who made the change: a reload, or the holder of a token.
    fileprivate var text: String {
        switch self {
        case .load: "reload"
        case .edit(nil): "edit"
        case .edit(let author?): "edit \(author)"
        }
    }
}
