import Bytes
import ContentCodings
import HTTPFields
import HTTPServer
import Levels
import PropertyLists

/// Entity tags and the conditions on them (RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2).
enum EntityTag {
    /// Whether a request's `If-None-Match` contains this tag, by weak comparison.
    @inline(__always)
    static func isNamed(_ tag: String?, by request: Request) -> Bool {
        guard request.has(.ifNoneMatch), let tag else { return false }
        return contains(.ifNoneMatch, of: request, .weak) { listed in listed.isEqual(to: tag.utf8Span.span) }
    }

    /// Refuses a request whose `If-Match` does not contain the selected representation.
    ///
    /// The tags of all its codings and layouts match, because client libraries choose the coding and some proxies
    /// change it. This is evaluated before `If-None-Match` (RFC 9110, section 13.2.2), and once: a request that then
    /// waits gets the new representation.
    ///
    /// - Throws: `Problem` (412) with the tag of the representation.
    static func checkMatch(_ tag: String?, of request: Request) throws(Problem) {
        guard request.has(.ifMatch), let tag else { return }
        let version = version(of: tag)
        let isMet = contains(.ifMatch, of: request, .strong) { listed in isForm(listed, ofVersion: version) }
        guard !isMet else { return }
        var problem = Problem.preconditionFailed(current: tag)
        problem.detail += missingQuotes(in: request.lines(of: .ifMatch)) ?? ""
        throw problem
    }

    /// A further sentence for the refusal of a condition in which a tag is written without its quotes; else nil.
    static func missingQuotes(in lines: [String]) -> String? {
        for part in lines.lazy.flatMap({ $0.split(separator: ",") }) {
            let words = part.split { $0 == " " || $0 == "\t" }
            guard words.count == 1, words[0].utf8.allSatisfy(Version.isCharacter) else { continue }
            return " A tag is written in quotes: \"\(words[0].prefix(2 * Version.width))\"."
        }
        return nil
    }

    /// Whether a tag is one of a version, in any coding or layout.
    static func isTag(_ tag: String?, ofVersion text: String) -> Bool {
        guard let tag else { return false }
        return version(of: tag) == text
    }

    /// The tag of an uncoded body: its hash between quotes.
    static func of(_ hash: ContentHash) -> String {
        unsafe String(unsafeUninitializedCapacity: Version.width + 2) { text in
            unsafe text[0] = UInt8(ascii: "\"")
            for index in 0..<Version.width { unsafe text[index + 1] = Version.character(of: hash, at: index) }
            unsafe text[Version.width + 1] = UInt8(ascii: "\"")
            return Version.width + 2
        }
    }

    /// The tag of a body in a coding: strong tags differ if the bytes do (RFC 9110, section 8.8.3.3).
    static func of(_ plain: String, _ coding: ContentCoding) -> String {
        coding == .identity ? plain : "\(plain.dropLast())-\(coding.token)\""
    }

    /// The tag of an indented body.
    static func indented(_ plain: String) -> String { "\(plain.dropLast())\(indentedSuffix)\"" }

    private static let indentedSuffix = "-pretty"

    /// Whether the lines of a condition contain a tag, in any coding or layout, or are `*`.
    static func isListed(_ tag: String, in lines: [String], _ comparison: EntityTagList.Comparison) -> Bool {
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

    /// The version in a strong tag: the text between its first quote and the suffixes.
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

    /// Whether the list in a field contains a wanted tag, or is `*`.
    ///
    /// - Parameter isWanted: receives each tag with its quotes.
    private static func contains(
        _ field: FieldName, of request: Request, _ comparison: EntityTagList.Comparison,
        _ isWanted: (_ tag: Span<UInt8>) -> Bool
    ) -> Bool {
        var list = EntityTagList(comparison)
        request.forEachLine(of: field) { line in list.read(line, isWanted) }
        return list.hasWanted
    }
}

extension Request {
    /// The lines of a header field.
    func lines(of name: FieldName) -> [String] {
        var lines: [String] = []
        forEachLine(of: name) { lines.append(String(utf8: $0)) }
        return lines
    }
}

/// The conditions of a request on the representation that it selects (RFC 9110, section 13.2.2), evaluated only here.
struct Condition {
    private let request: Request
    /// The version in `since`, which replaces a missing `If-None-Match` in a request that waits.
    private let version: RequestedVersion?

    /// The conditions in the header of a request.
    @inline(__always)
    init(_ request: Request) {
        self.request = request
        version = nil
    }

    /// The conditions in the header and in the query of a request.
    init(_ request: Request, _ delivery: Delivery) {
        self.request = request
        version = delivery.wait == nil ? nil : delivery.since
    }

    /// Whether the header says which representation the client has.
    var isInHeader: Bool { request.has(.ifNoneMatch) }

    /// Whether the client already has the representation with this tag, so that it gets no body.
    ///
    /// `If-Match` is evaluated first, and once: a request that then waits gets the new representation.
    ///
    /// - Parameter tag: the strong entity tag with its quotes; nil for a representation without one.
    /// - Throws: `Problem` (412) if `If-Match` contains only other tags.
    @inline(__always)
    func isNotModified(_ tag: String?) throws(Problem) -> Bool {
        if request.has(.ifMatch) { try EntityTag.checkMatch(tag, of: request) }
        if request.has(.ifNoneMatch) { return EntityTag.isNamed(tag, by: request) }
        guard let version else { return false }
        return EntityTag.isTag(tag, ofVersion: version.text)
    }
}
