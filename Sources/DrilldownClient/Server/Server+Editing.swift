public import Foundation

// Each method returns when the server has saved the edit. If the task is cancelled, the method stops waiting, but the
// edit may still take effect.
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
    ///   - level: the path of the item whose level gets the new item. A leaf is allowed, and has a level afterwards.
    ///   - position: the position among the rows of the section.
    ///   - section: the number of the section, from 0; nil for the last section, even if `position` is `.first`.
    ///   - version: the `itemVersion` that the level must have; nil for any version.
    /// - Returns: the new item. The last key of its path is the key of the item.
    /// - Throws: `EditConflict` for 409, 412 and 428, `Problem` for any other refusal, `CancellationError`.
    @discardableResult
    public func insert(
        _ item: FieldValue, into level: ItemPath, at position: Edit.Position = .last, section: Int? = nil,
        ifMatch version: ItemVersion? = nil
    ) async throws -> Detail {
        try await transport.changedItem(.insert(item, into: level, at: position, section: section, ifMatch: version))
    }

    /// Adds an item and everything below it from a property list, with the order and the type of every value.
    ///
    /// ```swift
    /// let saved = try await server.document(at: path)
    /// try await server.delete(path, ifMatch: detail.version)
    /// try await server.insert(propertyList: saved, into: level, at: .before("Next"))  // undoes the deletion
    /// ```
    ///
    /// The parameters are those of `insert(_:into:at:section:ifMatch:)`, but the item is an XML or binary property list,
    /// such as `document(at:as:)` returns.
    ///
    /// - Throws: `DecodingError` if `item` is not a property list; otherwise the errors of
    ///   `insert(_:into:at:section:ifMatch:)`.
    @discardableResult
    public func insert(
        propertyList item: Data, into level: ItemPath, at position: Edit.Position = .last, section: Int? = nil,
        ifMatch version: ItemVersion? = nil
    ) async throws -> Detail {
        let value = try PropertyListDecoder().decode(FieldValue.self, from: item)
        var edit = Edit.insert(value, into: level, at: position, section: section, ifMatch: version)
        edit.propertyList = item
        return try await transport.changedItem(edit)
    }

    /// Adds an item whose values have exact types, such as dates; otherwise like `insert(_:into:at:section:ifMatch:)`.
    @discardableResult
    public func insert(
        propertyList item: PropertyList, into level: ItemPath, at position: Edit.Position = .last,
        section: Int? = nil, ifMatch version: ItemVersion? = nil
    ) async throws -> Detail {
        try await transport.changedItem(
            .insert(propertyList: item, into: level, at: position, section: section, ifMatch: version))
    }

    /// Replaces the fields of an item with a dictionary whose values have exact types; otherwise like
    /// `put(_:at:ifMatch:)`.
    @discardableResult
    public func put(
        propertyList fields: PropertyList, at path: ItemPath, ifMatch version: ItemVersion? = nil
    ) async throws -> Detail {
        try await transport.changedItem(.put(propertyList: fields, at: path, ifMatch: version))
    }

    /// Replaces the fields of an item, or creates the item if it does not exist.
    ///
    /// The children of the item stay.
    ///
    /// - Parameters:
    ///   - fields: all fields that the item will have.
    ///   - path: the item; a new item becomes the last item of its level.
    ///   - version: the version or `fieldsVersion` that the item must have; nil for any version.
    /// - Returns: the item. Its path may be new, because the key of an item usually comes from the title.
    /// - Throws: `EditConflict` for 409, 412 and 428, `Problem` for any other refusal, `CancellationError`.
    @discardableResult
    public func put(_ fields: Fields, at path: ItemPath, ifMatch version: ItemVersion? = nil) async throws -> Detail {
        try await transport.changedItem(.put(fields, at: path, ifMatch: version))
    }

    /// Merges changes into the fields of an item.
    ///
    /// ```swift
    /// detail = try await server.patch(
    ///     ["Price": 15], removing: ["Note"], at: detail.path, ifMatch: detail.fieldsVersion)
    /// ```
    ///
    /// A field whose value in `changes` is `.null` is removed, too. By contrast, `changes["Note"] = nil` only takes
    /// `Note` out of `changes`, so that the item keeps the field.
    ///
    /// A field keeps its type in the document if the new value can be converted to this type. For a field with a date
    /// or data, write the new value as `.date(…)` or `.data(…)`.
    ///
    /// - Parameters:
    ///   - changes: the fields that change.
    ///   - names: the fields that are removed.
    ///   - path: the item.
    ///   - version: the version or `fieldsVersion` that the item must have; nil for any version.
    /// - Returns: the item. Its path may be new, because the key of an item usually comes from the title.
    /// - Throws: `EditConflict` for 409, 412 and 428, `Problem` for any other refusal, `CancellationError`.
    @discardableResult
    public func patch(
        _ changes: Fields, removing names: [String] = [], at path: ItemPath, ifMatch version: ItemVersion? = nil
    ) async throws -> Detail {
        try await transport.changedItem(.patch(changes, removing: names, at: path, ifMatch: version))
    }

    /// Merges changes into the fields of an item, unless one of these fields has got another value since the item was
    /// read.
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
    ///   - detail: the item as it was read. The fields to change must still have the values that `detail` has, or
    ///     already have the new values.
    /// - Returns: the item with these changes and with the changes of other clients.
    /// - Throws: `EditConflict` if one of these fields has got another value since `detail` was read; otherwise the
    ///   errors of
    ///   `patch(_:removing:at:ifMatch:)`.
    @discardableResult
    public func patch(_ changes: Fields, removing names: [String] = [], of detail: Detail) async throws -> Detail {
        try await transport.merge(Edit.patch(changes, removing: names, at: detail.path).changes, into: detail)
    }

    /// Moves an item and everything below it to another level, or to another position on its own level.
    ///
    /// - Parameters:
    ///   - path: the item.
    ///   - level: the path of the item whose level gets the moved item.
    ///   - position: the position among the other rows of the section.
    ///   - section: the number of the section, from 0; nil for the last section, even if `position` is `.first`.
    ///   - version: the version or `fieldsVersion` that the item must have; nil for any version.
    /// - Returns: the moved item, with its new path.
    /// - Throws: `EditConflict` for 409, 412 and 428, `Problem` for any other refusal, `CancellationError`.
    @discardableResult
    public func move(
        _ path: ItemPath, into level: ItemPath, at position: Edit.Position = .last, section: Int? = nil,
        ifMatch version: ItemVersion? = nil
    ) async throws -> Detail {
        try await transport.changedItem(.move(path, into: level, at: position, section: section, ifMatch: version))
    }

    /// Removes an item and everything below it.
    ///
    /// - Throws: `EditConflict` for 409, 412 and 428, `Problem` for any other refusal, `CancellationError`.
    public func delete(_ path: ItemPath, ifMatch version: ItemVersion? = nil) async throws {
        _ = try await transport.answer(to: .delete(path, ifMatch: version))
    }

    /// Performs a batch of edits in order, as one revision. If one edit is refused, no edit takes effect.
    ///
    /// An edit names an item by the path that the item has after the earlier edits of the batch. Each `ifMatch` names a
    /// version from before the batch.
    ///
    /// - Parameter edits: at most 1,000 edits.
    /// - Throws: `EditConflict` if one edit is refused with 409, 412 or 428; `Problem` for any other refusal;
    ///   `CancellationError`. If the refusal concerns one edit, `editIndex` of the problem is the index of the edit.
    @discardableResult
    public func perform(_ edits: [Edit]) async throws -> EditResult {
        for edit in edits { try edit.checkPaths() }
        let body: Fields = ["edits": .list(edits.map { .dictionary($0.step) })]
        do {
            let answer = try await transport.send(Request("POST", target: "/edits", json: .dictionary(body)))
            return try transport.read(answer, as: EditResult.read)
        } catch let problem as Problem {
            // The problem lacks `editIndex` if the whole batch is refused, for example because the file has changed.
            let only = edits.count == 1 ? 0 : nil
            guard let number = problem.editIndex ?? only, edits.indices.contains(number) else { throw problem }
            throw try await transport.conflict(edits[number], problem: problem) ?? problem
        }
    }

    // MARK: Settings

    /// Changes the value of an item that has a control, such as a setting on a settings page.
    ///
    /// - Parameters:
    ///   - value: the new value; on a settings page, nil restores the default value.
    ///   - path: the item with the control.
    ///   - version: the version or `fieldsVersion` that the item must have; nil for any version.
    /// - Throws: the errors of `patch`. If the value is not allowed, `Problem.allowed` lists the allowed values.
    @discardableResult
    public func setValue(_ value: FieldValue?, of path: ItemPath, ifMatch version: ItemVersion? = nil) async throws
        -> Detail
    {
        try await patch(["Value": value ?? .null], at: path, ifMatch: version)
    }

    /// Turns the switch of a row on or off: stores the value that the row's control defines for the new state.
    ///
    /// - Throws: the errors of `setValue(_:of:ifMatch:)`.
    @discardableResult
    public func setSwitch(of row: Row, isOn: Bool) async throws -> Detail {
        try await setValue(row.control?.value(isOn: isOn) ?? .boolean(isOn), of: row.path)
    }

    // MARK: The source

    /// Makes the server reload its source.
    ///
    /// - Throws: `Problem` of the kind `.documentRefused` if the document cannot be served; the previous document
    ///   stays in use.
    @discardableResult
    public func reload() async throws -> ReloadResult {
        try transport.read(
            try await transport.send(Request("POST", target: "/reload", json: nil)), as: ReloadResult.read)
    }
}
