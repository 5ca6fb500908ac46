public import Foundation

/// The edits that wait until the service can be reached.
///
/// An edit is on disk when `add` returns. The edits are sent in order, also after the app was ended. None is sent twice:
/// if the answer to an edit is lost, the outbox looks whether the edit has arrived. A refused edit stops the outbox
/// until the app calls `discard` or `resend`.
///
/// ```swift
/// try await server.outbox?.add(.insert(["Title": "Milk"], into: ["Shopping"]))
/// try await server.outbox?.patch(["Done": true], of: detail)
/// ```
public actor Outbox {
    /// An edit that waits.
    public struct Entry: Identifiable, Hashable, Sendable {
        /// The identity of the entry.
        public var id = UUID()
        /// The edit. Its path and its condition follow the effects of the edits before it.
        public internal(set) var edit: Edit
        /// The reason why the service refused the edit; nil if the edit was not refused.
        public internal(set) var conflict: EditConflict?
        /// The fields of the item as the user saw them, for a patch that is merged field by field.
        var base: Fields?
        /// Whether the edit was sent, so that it may have arrived.
        var isSent = false
    }

    /// The edits that wait, in their order.
    public private(set) var entries: [Entry] = []
    /// The reason why the first edit could not be sent or saved yet; nil if nothing is wrong.
    public private(set) var problem: Problem?

    private let file: OutboxFile
    private let transport: Transport
    private let backoff: Guarded<Backoff>
    private var isSending = false
    private var observers: [UUID: AsyncStream<[Entry]>.Continuation] = [:]

    init(_ file: OutboxFile, transport: Transport, backoff: Guarded<Backoff>) {
        (self.file, self.transport, self.backoff) = (file, transport, backoff)
        do { entries = try file.entries() } catch { problem = error }
        Task { await send() }
    }

    /// Adds an edit, and sends it as soon as the edits before it are sent.
    ///
    /// An item to insert gets a `Key` if it has none, so that it is not inserted twice. In a property list, the item must
    /// have one.
    ///
    /// - Throws: `Problem` of the kind `.unwritableOutbox` if the edit cannot be saved; of the kind `.badPath`; of the
    ///   kind `.preconditionRequired` if a move or a deletion has no `ifMatch`, or a property list no `Key`, without which
    ///   the edit cannot be sent safely.
    public func add(_ edit: Edit) throws(Problem) {
        try edit.checkPaths()
        var edit = edit
        switch edit.action {
        case .insert(let item, let level, let position, let section):
            var fields = item.dictionary ?? ["Title": item]
            if fields["Key"] == nil {
                guard edit.propertyList == nil else { throw .keyRequired(level) }
                fields["Key"] = .text(Self.key())
            }
            edit.action = .insert(.dictionary(fields), into: level, at: position, section: section)
        case .move(let path, _, _, _), .delete(let path):
            guard edit.ifMatch != nil || entries.contains(where: { $0.edit.insertedPath == path }) else {
                throw .conditionRequired(path)
            }
        case .put, .patch: break
        }
        try replace(entries + [Entry(edit: edit)])
    }

    /// Adds a change of fields that is merged with the changes of others, like ``Server/patch(_:removing:of:)``.
    ///
    /// - Throws: the errors of `add(_:)`.
    public func patch(_ changes: Fields, removing names: [String] = [], of detail: Detail) throws(Problem) {
        let edit = Edit.patch(changes, removing: names, at: detail.path, ifMatch: detail.fieldsVersion)
        try edit.checkPaths()
        try replace(entries + [Entry(edit: edit, base: edited(detail).fields)])
    }

    /// Returns a detail as it will be after the patches that wait.
    public func edited(_ detail: Detail) -> Detail {
        var detail = detail
        for entry in entries where entry.edit.path == detail.path {
            detail.fields = detail.fields.merging(entry.edit.changes)
        }
        return detail
    }

    /// Removes an edit, for example after a conflict, and sends the edits after it.
    ///
    /// - Throws: `Problem` of the kind `.unwritableOutbox` if this cannot be saved; the edit then still waits.
    public func discard(_ id: Entry.ID) throws(Problem) {
        try replace(entries.filter { $0.id != id })
    }

    /// Sends a refused edit again, in spite of the changes of others that its conflict names.
    ///
    /// - Throws: `Problem` of the kind `.unwritableOutbox` if this cannot be saved; the edit then stays refused.
    public func resend(_ id: Entry.ID) throws(Problem) {
        guard let position = entries.firstIndex(where: { $0.id == id }), let conflict = entries[position].conflict
        else { return }
        var entry = entries[position]
        (entry.conflict, entry.isSent) = (nil, false)
        switch conflict.current {
        case .detail(let detail):
            entry.edit.ifMatch = detail.fieldsVersion
            if entry.base != nil { entry.base = detail.fields }
        case .level(let level):
            if entry.edit.ifMatch != nil { entry.edit.ifMatch = level.itemVersion }
        case .missing, .unknown: break
        }
        var replaced = entries
        replaced[position] = entry
        try replace(replaced)
    }

    /// Returns the edits that wait, now and after each change.
    public func updates() -> AsyncStream<[Entry]> {
        let id = UUID()
        let (updates, observer) = AsyncStream.makeStream(of: [Entry].self, bufferingPolicy: .bufferingNewest(1))
        observers[id] = observer
        observer.onTermination = { [weak self] _ in Task { await self?.forget(id) } }
        observer.yield(entries)
        return updates
    }

    private func forget(_ id: UUID) { observers[id] = nil }

    /// A key of 12 letters and digits, which no other item has.
    private static func key() -> String {
        String((0..<12).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" })
    }

    /// Saves other edits in place of those that wait, and sends them. If they cannot be saved, nothing changes.
    private func replace(_ new: [Entry]) throws(Problem) {
        do {
            try file.save(new)
        } catch {
            // The new file may be in place already, although it is not known to be on the disk.
            _ = Result { try file.save(entries) }
            throw error
        }
        entries = new
        notify()
        Task { await send() }
    }

    private func notify() { for observer in observers.values { observer.yield(entries) } }
}

extension Outbox {
    /// The effect of an edit that has arrived.
    private enum Effect {
        case item(Detail)
        case deletion
    }

    /// Sends the edits in order, until all are sent or one is refused.
    private func send() async {
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        var failures = 0
        while let entry = entries.first, entry.conflict == nil {
            do {
                if !entry.isSent {
                    // Only an edit that is marked on disk is sent.
                    var marked = entries
                    marked[0].isSent = true
                    try file.save(marked)
                    entries = marked
                }
                let earlier = entry.isSent ? try await effect(of: entry) : nil
                let effect = if let earlier { earlier } else { try await perform(entry) }
                (problem, failures) = (nil, 0)
                try finish(entry, effect)
            } catch let failure as Problem where failure.isTemporary || failure.kind == .unwritableOutbox {
                problem = failure
                failures += 1
                notify()
                await transport.pauses.pause(after: failures, failure, backoff.withLock { $0 })
            } catch {
                refuse(entry, error)
            }
        }
    }

    private func refuse(_ entry: Entry, _ error: any Error) {
        let refusal = error as? Problem ?? .unexpectedAnswer(transport.address)
        let current: EditConflict.Current = refusal.status == 404 ? .missing : .unknown(refusal)
        guard let position = entries.firstIndex(where: { $0.id == entry.id }) else { return }
        entries[position].conflict =
            error as? EditConflict ?? EditConflict(edit: entry.edit, current: current, problem: refusal)
        notify()
    }

    private func perform(_ entry: Entry) async throws -> Effect {
        if let base = entry.base {
            let version = entry.edit.ifMatch ?? ""
            let seen = Detail(title: "", path: entry.edit.path, fieldsVersion: version, fields: base)
            return .item(try await transport.merge(entry.edit.changes, into: seen))
        }
        guard case .delete = entry.edit.action else { return .item(try await transport.changedItem(entry.edit)) }
        do {
            _ = try await transport.answer(to: entry.edit)
        } catch let error where (error as? Problem)?.status == 404 || (error as? EditConflict)?.current == .missing {
            // Somebody else has deleted the item.
        }
        return .deletion
    }

    /// Returns the effect of an edit that was sent without an answer; nil if it has not arrived.
    private func effect(of entry: Entry) async throws -> Effect? {
        switch entry.edit.action {
        case .insert(let item, let level, _, _):
            let key = item.dictionary?["Key"] ?? .null
            return try await found(in: level, where: "Key", equals: key) { _ in true }
        case .put(let fields, let path): return try await found(at: path) { $0.merging(fields) == $0 }
        case .patch(let changes, let path):
            if let found = try await found(at: path, where: { $0.merging(changes) == $0 }) { return found }
            // The item has another path if the edit has given it another title.
            guard let title = changes["Title"], let level = path.parent else { return nil }
            let wanted = (entry.base ?? [:]).merging(changes)
            return try await found(in: level, where: "Title", equals: title) { $0.merging(wanted) == $0 }
        case .move(let path, let level, _, _):
            // A move within a level can be repeated.
            guard let key = path.lastKey, path.parent != level else { return nil }
            let detail = try await detail(at: level / key)
            return detail?.fieldsVersion == entry.edit.ifMatch ? detail.map(Effect.item) : nil
        case .delete(let path): return try await detail(at: path) == nil ? .deletion : nil
        }
    }

    private func found(at path: ItemPath, where isWanted: (Fields) -> Bool) async throws -> Effect? {
        guard let detail = try await detail(at: path), isWanted(detail.fields) else { return nil }
        return .item(detail)
    }

    /// Returns the item of a level with a value in a field.
    private func found(
        in level: ItemPath, where field: String, equals value: FieldValue, _ isWanted: (Fields) -> Bool
    ) async throws -> Effect? {
        let query = LevelQuery.showing(.all).where(field, equals: value)
        let rows = try await transport.level(of: level.levelLink + query.encoded).rows
        guard let row = rows.first(where: { isWanted($0.fields) }) else { return nil }
        return .item(try await transport.detail(at: row.path))
    }

    /// Requests a detail; returns nil if the item does not exist.
    private func detail(at path: ItemPath) async throws -> Detail? {
        do {
            return try await transport.detail(at: path)
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    /// Removes an edit that has arrived, and lets the edits after it follow its effect.
    private func finish(_ entry: Entry, _ effect: Effect) throws(Problem) {
        entries.removeAll { $0.id == entry.id }
        defer { notify() }
        if case .item(let detail) = effect {
            let path = entry.edit.insertedPath ?? entry.edit.path
            // Later edits with the same condition are of the same user, who has seen no other change of the item.
            let isOwn =
                entry.base.map { detail.fields.merging($0.merging(entry.edit.changes)) == detail.fields } ?? true
            for position in entries.indices {
                let edit = entries[position].edit
                if isOwn, edit.path == path, edit.insertedPath == nil, edit.ifMatch == entry.edit.ifMatch {
                    entries[position].edit.ifMatch = detail.fieldsVersion
                }
                if detail.path != path {
                    entries[position].edit = entries[position].edit.following(path, to: detail.path)
                }
            }
        }
        try file.save(entries)
    }
}

extension Edit {
    /// The path that an inserted item will have; nil for other edits.
    fileprivate var insertedPath: ItemPath? {
        guard case .insert(let item, let level, _, _) = action, let key = item.dictionary?["Key"]?.text else {
            return nil
        }
        return level / key
    }
}

extension Fields {
    /// Returns the fields after a patch.
    fileprivate func merging(_ changes: Fields) -> Fields {
        var fields = self
        for (name, value) in changes { fields[name] = value == .null ? .none : value }
        return fields
    }
}

extension Problem {
    fileprivate static func keyRequired(_ path: ItemPath) -> Problem {
        Problem(
            .preconditionRequired, title: "Key required",
            detail:
                "A property list to insert into \(path) in the outbox needs a 'Key', so that it is not inserted twice.")
    }

    fileprivate static func conditionRequired(_ path: ItemPath) -> Problem {
        Problem(
            .preconditionRequired, title: "Condition required",
            detail: "A move or a deletion of \(path) in the outbox needs 'ifMatch', so that it changes no other item.")
    }
}
