import Bytes
import PropertyLists

/// `GET /problems/<name>`: what a kind of problem means and what to do about it; without a name, all kinds.
enum ProblemPage {
    /// - Throws: `Problem` (404) for an unknown kind.
    static func rendered(for path: Span<UInt8>) throws(Problem) -> Rendering {
        let name = name(in: path)
        if name.isEmpty {
            return try Rendering(vary: "Accept-Encoding") { (writer) throws(PropertyListError) in
                writer.member("problems")
                writer.beginList()
                for kind in ProblemKind.allCases { try write(kind, to: &writer) }
                writer.endList()
            }
        }
        guard let kind = ProblemKind(rawValue: name) else {
            let names = ProblemKind.allCases.map(\.rawValue)
            throw Problem(
                .noSuchRoute, "'\(quoted: name)' is not a kind of problem.", members: [("allowed", .list(names))])
        }
        return try Rendering(vary: "Accept-Encoding") { (writer) throws(PropertyListError) in
            try members(of: kind, to: &writer)
        }
    }

    /// The path without the slashes around it.
    private static func name(in path: Span<UInt8>) -> String {
        var start = 0
        var end = path.count
        while start < end, path[start] == UInt8(ascii: "/") { start += 1 }
        while end > start, path[end - 1] == UInt8(ascii: "/") { end -= 1 }
        return String(utf8: path.extracting(start..<end))
    }

    private static func write(_ kind: ProblemKind, to writer: inout JSONPropertyListWriter) throws(PropertyListError) {
        writer.beginObject()
        try members(of: kind, to: &writer)
        writer.endObject()
    }

    private static func members(of kind: ProblemKind, to writer: inout JSONPropertyListWriter) throws(PropertyListError)
    {
        try writer.member("type", "/problems/\(kind.rawValue)")
        try writer.member("title", kind.title)
        writer.member("status", kind.status)
        try writer.member("explanation", kind.explanation)
    }
}
