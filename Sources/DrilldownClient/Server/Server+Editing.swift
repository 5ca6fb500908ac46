// An edit is saved by the server when its method returns. A cancelled task stops waiting; the edit may still take
// effect.
extension Server {
    /// Adds a new item to a level.
    ///
    /// ```swift
    /// let leaf = try await server.insert("Leaf", into: ["Item 4"])
    /// let item = try await server.insert(["Title": "New", "Price": 12], into: .root, at: .before("Item 4"))
    /// ```
    ///
    /// - Parameters:
    ///   - item: the title of a new leaf, or a dictionary of fields, which may include `Children`.
    ///   - level: the path of the item whose level gets the new item; a leaf then has a level.
    ///   - position: the position among the rows of the section.
    ///   - section: the number of the section, from 0; nil for the last one, even if `position` is `.first`.
    ///   - version: the `itemVersion` that the level must have; nil for any version.
    /// - Returns: the new item; its key is in its path.
    /// - Throws: `EditConflict` for 409 and 412, `Problem` for any other refusal, `CancellationError`.
    @discardableResult
    public func insert(
        _ item: FieldValue, into level: ItemPath, at position: Edit.Position = .last, section: Int? = nil,
        ifMatch version: ItemVersion? = nil
    ) async throws -> Detail {
        try await changedItem(.insert(item, into: level, at: position, section: section, ifMatch: version))
    }

    /// Replaces the fields of an item, whose children stay, or creates the item.
    ///
    /// - Parameters:
    ///   - fields: all fields that the item will have.
    ///   - path: the item; a new item becomes the last one of its level.
    ///   - version: the version or `fieldsVersion` that the item must have; nil for any version.
    /// - Returns: the item, whose path may be another one, since it changes with the title.
    /// - Throws: `EditConflict` for 409 and 412, `Problem` for any other refusal, `CancellationError`.
    @discardableResult
    public func put(_ fields: Fields, at path: ItemPath, ifMatch version: ItemVersion? = nil) async throws -> Detail {
        try await changedItem(.put(fields, at: path, ifMatch: version))
    }

    /// Merges changes into the fields of an item.
    ///
    /// ```swift
    /// detail = try await server.patch(
    ///     ["Price": 15], removing: ["Note"], at: detail.path, ifMatch: detail.fieldsVersion)
    /// ```
    ///
    /// A field whose value is `.null` is removed too. `changes["Note"] = nil` only takes `Note` out of `changes`, so
    /// that the item keeps the field.
    ///
    /// A field keeps its type in the document if the new value can be converted to this type: write a date as
    /// `.date(…)` and data as `.data(…)`.
    ///
    /// - Parameters:
    ///   - changes: the fields that change.
    ///   - names: the fields that are removed.
    ///   - path: the item.
    ///   - version: the version or `fieldsVersion` that the item must have; nil for any version.
    /// - Returns: the item, whose path may be another one, since it changes with the title.
    /// - Throws: `EditConflict` for 409 and 412, `Problem` for any other refusal, `CancellationError`.
    @discardableResult
    public func patch(
        _ changes: Fields, removing names: [String] = [], at path: ItemPath, ifMatch version: ItemVersion? = nil
    ) async throws -> Detail {
        try await changedItem(.patch(changes, removing: names, at: path, ifMatch: version))
    }

    /// Merges changes into the fields of an item, unless one of these fields has changed since the item was read.
    ///
    /// Other fields may have changed meanwhile; they keep their new values.
    ///
    /// ```swift
    /// detail = try await server.patch(["Price": 15], of: detail)
    /// ```
    ///
    /// - Parameters:
    ///   - changes: the fields that change; `.null` removes a field.
    ///   - names: the fields that are removed.
    ///   - detail: the item as it was read, to which the changes apply.
    /// - Returns: the item with these changes and the changes of others.
    /// - Throws: `EditConflict` if one of these fields has changed since `detail` was read; otherwise the errors of
    ///   `patch(_:removing:at:ifMatch:)`.
    @discardableResult
    public func patch(_ changes: Fields, removing names: [String] = [], of detail: Detail) async throws -> Detail {
        var version = detail.fieldsVersion
        while true {
            do {
                return try await patch(changes, removing: names, at: detail.path, ifMatch: version)
            } catch let conflict as EditConflict {
                // Each round has another version, so the loop ends when no other client edits the item.
                guard conflict.isOutdated, case .detail(let current) = conflict.current,
                    current.fieldsVersion != version,
                    (changes.names + names).allSatisfy({ current[$0] == detail[$0] })
                else { throw conflict }
                version = current.fieldsVersion
            }
        }
    }

    /// Moves an item, with all below it, to another level or to another position on its level.
    ///
    /// - Parameters:
    ///   - path: the item.
    ///   - level: the path of the item to whose level it moves.
    ///   - position: the position among the rows of the section, not counting the item itself.
    ///   - section: the number of the section, from 0; nil for the last one, even if `position` is `.first`.
    ///   - version: the version or `fieldsVersion` that the item must have; nil for any version.
    /// - Returns: the moved item, with its new path.
    /// - Throws: `EditConflict` for 409 and 412, `Problem` for any other refusal, `CancellationError`.
    @discardableResult
    public func move(
        _ path: ItemPath, into level: ItemPath, at position: Edit.Position = .last, section: Int? = nil,
        ifMatch version: ItemVersion? = nil
    ) async throws -> Detail {
        try await changedItem(.move(path, into: level, at: position, section: section, ifMatch: version))
    }

    /// Removes an item, with all below it.
    ///
    /// - Throws: `EditConflict` for 409 and 412, `Problem` for any other refusal, `CancellationError`.
    public func delete(_ path: ItemPath, ifMatch version: ItemVersion? = nil) async throws {
        _ = try await answer(to: .delete(path, ifMatch: version))
    }

    /// Performs several edits in their order, all or none, as one revision.
    ///
    /// The path of an edit is the path after the earlier edits. Each `ifMatch` is a version before all edits.
    ///
    /// - Parameter edits: at most 1,000 edits.
    /// - Throws: `EditConflict` for a 409 or 412 that concerns one edit; `Problem` for any other refusal, with
    ///   `editIndex` if it concerns one edit; `CancellationError`.
    @discardableResult
    public func perform(_ edits: [Edit]) async throws -> EditResult {
        for edit in edits { try edit.checkPaths() }
        let body: Fields = ["edits": .list(edits.map { .dictionary($0.step) })]
        do {
            let answer = try await transport.send(Request("POST", target: "/edits", json: .dictionary(body)))
            return try transport.read(answer, as: EditResult.read)
        } catch let problem as Problem {
            // The problem lacks `editIndex` if the whole batch is refused, for example because the file has changed.
            let number = problem.editIndex ?? (edits.count == 1 ? 0 : -1)
            guard edits.indices.contains(number) else { throw problem }
            throw try await conflict(edits[number], problem: problem) ?? problem
        }
    }

    // MARK: Settings

    /// Changes the value of a control of a settings page, or of an item with a control.
    ///
    /// - Parameters:
    ///   - value: the new value; nil restores the default of a settings page.
    ///   - path: the item with the control.
    ///   - version: the version or `fieldsVersion` that the item must have; nil for any version.
    /// - Throws: the errors of `patch`; `Problem.allowed` lists the allowed values if this value is not allowed.
    @discardableResult
    public func setValue(_ value: FieldValue?, of path: ItemPath, ifMatch version: ItemVersion? = nil) async throws
        -> Detail
    {
        try await patch(["Value": value ?? .null], at: path, ifMatch: version)
    }

    /// Turns the switch of a row on or off, by storing the value of its control for this state.
    ///
    /// - Throws: the errors of `setValue(_:of:ifMatch:)`.
    @discardableResult
    public func setSwitch(of row: Row, isOn: Bool) async throws -> Detail {
        try await setValue(row.control?.value(isOn: isOn) ?? .boolean(isOn), of: row.path)
    }

    // MARK: The source

    /// Makes the server reload its source.
    ///
    /// - Throws: `Problem` of the kind `.documentRefused` if the document cannot be served; the previous one stays
    ///   in use.
    @discardableResult
    public func reload() async throws -> ReloadResult {
        try transport.read(
            try await transport.send(Request("POST", target: "/reload", json: nil)), as: ReloadResult.read)
    }

    // MARK: Requests

    private func changedItem(_ edit: Edit) async throws -> Detail {
        try transport.read(try await answer(to: edit), as: DetailReader.read)
    }

    private func answer(to edit: Edit) async throws -> Answer {
        try edit.checkPaths()
        do {
            return try await transport.send(edit.request)
        } catch let problem as Problem {
            throw try await conflict(edit, problem: problem) ?? problem
        }
    }

    /// Returns the conflict for a status of 409 or 412, with the current item or level; nil for any other problem.
    private func conflict(_ edit: Edit, problem: Problem) async throws -> EditConflict? {
        guard problem.status == 409 || problem.status == 412 else { return nil }
        return EditConflict(edit: edit, current: try await current(for: edit), problem: problem)
    }

    private func current(for edit: Edit) async throws -> EditConflict.Current {
        do {
            switch edit.action {
            case .insert(_, let level, _, _): return .level(try await self.level(at: level))
            case .put(_, let path), .patch(_, let path), .move(let path, _, _, _), .delete(let path):
                return .detail(try await detail(at: path))
            }
        } catch let problem as Problem {
            return problem.status == 404 ? .missing : .unknown(problem)
        }
    }
}
