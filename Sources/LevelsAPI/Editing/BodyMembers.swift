import Bytes
import Levels
import PropertyLists

/// The members of an object in a body.
struct BodyMembers {
    private let dictionary: PropertyListDictionary
    /// The pointer to the object in the body (RFC 6901).
    let pointer: String
    /// The number of the step; nil outside of `POST /edits`.
    let step: Int?
    /// The path with which links may begin.
    private let basePath: String

    /// - Throws: `Problem` (422) with the sentence `wanted`, for a value that is not an object.
    init(
        value: PropertyListValue, at pointer: String = "", step: Int? = nil, under basePath: String, _ wanted: String
    ) throws(Problem) {
        guard case .dictionary(let dictionary) = value else {
            throw .invalidContent("\(wanted).", at: pointer, step: step)
        }
        self.dictionary = dictionary
        self.pointer = pointer
        self.step = step
        self.basePath = basePath
    }

    var names: [String] { dictionary.entries.map(\.key) }

    subscript(name: String) -> PropertyListValue? { dictionary[name] }

    func problem(_ name: String, detail: String) -> Problem {
        .invalidContent(detail, at: pointer + JSONPointer.step(name), step: step)
    }

    /// - Throws: `Problem` (422) for a member that is not allowed.
    func check(_ allowed: [String]) throws(Problem) {
        for name in names where !allowed.contains(name) {
            throw problem(
                name,
                detail: "'\(quoted: name)' is not a member here; the members are \(allowed.joined(separator: ", ")).")
        }
    }

    func text(_ name: String) throws(Problem) -> String? {
        switch dictionary[name] {
        case .string(let text): return text
        case nil: return nil
        default: throw problem(name, detail: "'\(name)' must be a text.")
        }
    }

    /// The path in a link to a level or a detail.
    func path(_ name: String, root: String) throws(Problem) -> ItemPath {
        guard let link = try text(name) else {
            throw .invalidContent(
                "'\(name)' is missing; it is a link that begins with \(root)/.", at: pointer, step: step)
        }
        guard let path = ItemPath(link: link, below: root) ?? ItemPath(link: link, below: basePath + root) else {
            throw problem(name, detail: "'\(name)' must be a link that begins with \(root)/, not '\(quoted: link)'.")
        }
        return path
    }

    /// The place among the rows of a level, from the members `at` and `section`. An unknown `at` is refused only when
    /// the edit is carried out.
    func place() throws(Problem) -> (position: RowPosition, section: Int?) {
        var section: Int?
        if let value = dictionary["section"] {
            guard case .integer(let number) = value, !number.isNegative else {
                throw problem("section", detail: "'section' must be the number of a section, from 0.")
            }
            section = Int(clamping: number.bits)
        }
        switch dictionary["at"] {
        case nil: return (.last, section)
        case .string(let text):
            return (RowPosition(name: text) ?? .unknown(text), section)
        case .integer(let number):
            return (number.isNegative ? .unknown("\(number)") : .offset(Int(clamping: number.bits)), section)
        default: break
        }
        throw problem("at", detail: "'at' must be \(RowPosition.grammar).")
    }
}

extension ItemPath {
    /// The path in a link below `root`; nil for any other link, and for a link with a query or a fragment.
    init?(link: String, below root: String) {
        guard link.utf8.starts(with: root.utf8) else { return nil }
        let span = link.utf8Span.span
        let path = span.extracting(root.utf8.count..<span.count)
        guard path.isEmpty || path[0] == UInt8(ascii: "/"), !link.contains("?"), !link.contains("#") else {
            return nil
        }
        do throws(Problem) { try self.init(requested: path) } catch { return nil }
    }
}

extension Problem {
    /// 422 for content that breaks a rule, at a pointer (RFC 6901).
    static func invalidContent(_ detail: String, at pointer: String, step: Int? = nil) -> Problem {
        let number: Members = step.map { [("edit", .number($0))] } ?? []
        return Problem(.invalidContent, detail: detail, members: [("pointer", .text(pointer))] + number)
    }
}
