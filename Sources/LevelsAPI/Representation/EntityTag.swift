import Bytes
import ContentCodings
import HTTPFields
import HTTPServer
import Levels
import PropertyLists

/// Entity tags and the conditions on them (RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2).
enum EntityTag {
    /// A further sentence for a message, about the first tag without quotation marks; nil if all tags have quotation
    /// marks.
    static func missingQuotes(in lines: [String]) -> String? {
        for part in lines.lazy.flatMap({ $0.split(separator: ",") }) {
            let words = part.split { $0 == " " || $0 == "\t" }
            guard words.count == 1, words[0].utf8.allSatisfy(Version.isCharacter) else { continue }
            return " A tag is written in quotes: \"\(words[0].prefix(2 * Version.width))\"."
        }
        return nil
    }

    /// Whether a tag is the tag of a version, in any coding or layout; false for nil.
    static func isTag(_ tag: String?, ofVersion text: String) -> Bool { tag.map(version(of:)) == text }

    static func of(_ hash: ContentHash) -> String {
        "\"\(Version.text(hash))\""
    }

    /// The tag of a body in a coding. Each coding has a tag of its own, because strong tags differ if the bytes differ
    /// (RFC 9110, section 8.8.3.3).
    static func of(_ plain: String, coding: ContentCoding) -> String {
        coding == .identity ? plain : "\(plain.dropLast())-\(coding.token)\""
    }

    static func indented(_ plain: String) -> String { "\(plain.dropLast())\(indentedSuffix)\"" }

    private static let indentedSuffix = "-pretty"

    /// Whether the lines of a condition contain a tag, in any coding or layout, or are `*`.
    static func isListed(_ tag: String, in lines: [String], comparison: EntityTagList.Comparison) -> Bool {
        let version = version(of: tag)
        var list = EntityTagList(comparison)
        for line in lines { list.read(line.utf8Span.span) { isForm($0, ofVersion: version) } }
        return list.hasWanted
    }

    /// Whether the lines of a condition contain the version of an item's fields as a strong tag, or are `*`.
    static func isListed(fieldsVersion: String, in lines: [String]) -> Bool {
        let tag = "\"\(fieldsVersion)\""
        var list = EntityTagList(.strong)
        for line in lines { list.read(line.utf8Span.span) { $0.isEqual(to: tag.utf8Span.span) } }
        return list.hasWanted
    }

    /// The text between the first quote and the suffixes of a strong tag.
    private static func version(of tag: String) -> String {
        String(decoding: tag.utf8.dropFirst().prefix(Version.width), as: UTF8.self)
    }

    /// Whether a listed tag is a version, plain or with the suffixes of a layout and a coding.
    private static func isForm(_ tag: Span<UInt8>, ofVersion version: String) -> Bool {
        let end = Version.width + 1
        guard tag.count > end, tag.extracting(1..<end).isEqual(to: version.utf8Span.span) else { return false }
        let suffix = String(utf8: tag.extracting(end..<tag.count - 1))
        return ContentCoding.allCases.contains { coding in
            let coded = coding == .identity ? "" : "-\(coding.token)"
            return suffix == coded || suffix == indentedSuffix + coded
        }
    }
}

extension Request {
    func lines(of name: FieldName) -> [String] {
        var lines: [String] = []
        forEachLine(of: name) { lines.append(String(utf8: $0)) }
        return lines
    }
}

/// The conditions of a request on the representation that the request selects (RFC 9110, section 13.2.2). Conditions
/// are evaluated only here.
struct Condition {
    private let request: Request

    @inline(__always)
    init(_ request: Request) { self.request = request }

    /// Whether the client already has the representation with this tag, so that it gets no body.
    ///
    /// `If-Match` is evaluated first (RFC 9110, section 13.2.2), and only for the current representation. A request
    /// that then waits gets the next representation, whatever tag that representation has.
    ///
    /// - Parameter tag: the strong entity tag, with its quotation marks; nil for a representation without an entity
    ///   tag.
    /// - Throws: `Problem` (412) with the tag, if `If-Match` contains only other tags.
    @inline(__always)
    func isNotModified(_ tag: String?) throws(Problem) -> Bool {
        if request.has(.ifMatch), let tag { try checkMatch(tag) }
        return request.has(.ifNoneMatch) && isNamed(tag)
    }

    /// The tags of all codings and layouts match, because client libraries choose the coding, and some proxies change
    /// the coding.
    private func checkMatch(_ tag: String) throws(Problem) {
        let lines = request.lines(of: .ifMatch)
        guard !EntityTag.isListed(tag, in: lines, comparison: .strong) else { return }
        var problem = Problem.preconditionFailed(current: tag)
        problem.detail += EntityTag.missingQuotes(in: lines) ?? ""
        throw problem
    }

    private func isNamed(_ tag: String?) -> Bool {
        guard let tag else { return false }
        var list = EntityTagList(.weak)
        request.forEachLine(of: .ifNoneMatch) { line in list.read(line) { $0.isEqual(to: tag.utf8Span.span) } }
        return list.hasWanted
    }
}
