public import Foundation

/// The reason why a request failed: the server's refusal, or a missing or unreadable answer.
///
/// ```swift
/// do {
///     let level = try await server.level(at: ["Item 9"])
/// } catch let problem as Problem where problem.kind == .noSuchItem {
///     print(problem)  // There is no 'Item 9' in /. Did you mean 'Item 1'?
/// }
/// ```
public struct Problem: Error, Hashable, Sendable {
    /// The kind of problem.
    public var kind: Kind
    /// The name of the kind in a few words.
    public var title: String
    /// The status of the answer; nil without an answer.
    public var status: Int?
    /// An English sentence about this case, for developers and logs. For a user, see ``situation-swift.property``.
    public var detail: String
    /// The target of the request; nil if it is not known.
    public var instance: String?
    /// The members that only this kind of problem has.
    public var members: Fields
    /// The number of seconds to wait before the next attempt; nil if the server sent no `Retry-After`.
    public var retryAfter: Double?
    /// Whether there is no answer because the connection ended.
    var isConnectionLost = false

    /// Creates a problem with these values.
    public init(
        _ kind: Kind, title: String, status: Int? = nil, detail: String, instance: String? = nil,
        members: Fields = [:], retryAfter: Double? = nil
    ) {
        self.kind = kind
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.members = members
        self.retryAfter = retryAfter
    }
}

// The members that some kinds of problems have; nil or empty for other kinds.
extension Problem {
    /// The name of the query parameter that is wrong.
    public var parameter: String? { members["parameter"]?.text }

    /// The allowed names, methods or values.
    public var allowed: [FieldValue] { members["allowed"]?.list ?? [] }

    /// The current entity tag of the item, with its quotation marks. Present if the edit named a version that is not
    /// the current one (412).
    public var currentEntityTag: String? { members["current"]?.text }

    /// The current version of the item, for `ifMatch`: `currentEntityTag` without its quotation marks.
    public var currentVersion: ItemVersion? {
        guard let tag = currentEntityTag, tag.count >= 2, tag.first == "\"", tag.last == "\"" else { return nil }
        return ItemVersion(rawValue: String(tag.dropFirst().dropLast()))
    }

    /// The current version of the item's own fields, for `ifMatch`. Present if the edit named a version that is not the
    /// current one (412).
    public var currentFieldsVersion: ItemVersion? { members["currentFields"]?.text.map(ItemVersion.init(rawValue:)) }

    /// The path of the nearest existing item above a requested item that does not exist.
    public var nearest: ItemPath? { members["nearest"]?.text.flatMap { ItemPath(href: $0) } }

    /// The line of the fault in a malformed body, from 1.
    public var line: Int? { members["line"]?.int }

    /// The column of the fault in a malformed body, from 1.
    public var column: Int? { members["column"]?.int }

    /// The position of a value that breaks a rule, as a JSON pointer into the body (RFC 6901).
    public var pointer: String? { members["pointer"]?.text }

    /// The index of the refused edit in a batch, from 0.
    public var editIndex: Int? { members["edit"]?.int }

    /// The current revision of the server. Present if the server does not know the revision in the request.
    public var revision: String? { members["revision"]?.text }

    /// The identifier of the request in the server's log.
    public var id: String? { members["id"]?.text }

    /// Whether the same request may succeed later.
    ///
    /// True if the answer was missing or did not come from the service, or if the server had a fault or was busy.
    public var isTemporary: Bool {
        kind == .unreadableAnswer || kind == .foreignRefusal || isOutage || isTransientRefusal
    }
}

extension Problem {
    /// What a problem means to a user. An app has a sentence for each situation, in the user's language.
    public enum Situation: Hashable, Sendable, CaseIterable {
        /// There is no network, or something other than the service answers.
        case offline
        /// The service needs a token, or does not accept the token.
        case signedOut
        /// The service does not allow this with any token.
        case notAllowed
        /// The item or the file does not exist.
        case missing
        /// An edit does not fit the current document, because something else has changed.
        case conflict
        /// The service is busy or has a fault; the same request may succeed later.
        case busy
        /// The service cannot accept what the user has entered or requested.
        case invalid
        /// Any other problem.
        case other
    }

    /// What the problem means to a user.
    public var situation: Situation {
        switch (kind, status ?? 0) {
        case (.unreachable, _), (.foreignRefusal, _), (.unreadableAnswer, _): .offline
        case (.unauthorized, _), (.wrongToken, _): .signedOut
        case (.editingOff, _), (.foreignOrigin, _): .notAllowed
        case (_, 404): .missing
        case (_, 409), (_, 412), (_, 428): .conflict
        case _ where isTemporary: .busy
        case (.badPath, _), (_, 400..<500): .invalid
        default: .other
        }
    }
}

extension Problem: CustomStringConvertible {
    /// The sentence about this case.
    public var description: String { detail }
}

extension Problem: LocalizedError {
    /// The sentence about this case.
    public var errorDescription: String? { detail }
}
