import Foundation

// Edits in the form of a step of a batch, which is also their form on disk.
extension Edit {
    /// Creates the edit of a step; nil if the step is not an edit.
    package init?(step: Fields) {
        func path(_ name: String) -> ItemPath? { step[name]?.text.flatMap { ItemPath(href: $0) } }
        let (level, section) = (path("to"), step["section"]?.int)
        let position = Position(step["at"]?.description)
        let version = step["ifMatch"]?.text.map { ItemVersion(rawValue: $0) }
        if let item = step["insert"], let level {
            self = .insert(item, into: level, at: position, section: section, ifMatch: version)
        } else if let fields = step["put"]?.dictionary, let path = path("of") {
            self = .put(fields, at: path, ifMatch: version)
        } else if let changes = step["patch"]?.dictionary, let path = path("of") {
            self = .patch(changes, at: path, ifMatch: version)
        } else if let path = path("move"), let level {
            self = .move(path, into: level, at: position, section: section, ifMatch: version)
        } else if let path = path("delete") {
            self = .delete(path, ifMatch: version)
        } else {
            return nil
        }
        propertyList = step["propertyList"]?.data
    }

    /// Returns the edit after the item at a path has moved to another path.
    func following(_ old: ItemPath, to new: ItemPath) -> Edit {
        func moved(_ path: ItemPath) -> ItemPath {
            path.starts(with: old) ? new.appending(ItemPath(path.keys.dropFirst(old.depth))) : path
        }
        var edit = self
        edit.action =
            switch action {
            case .insert(let item, let level, let position, let section):
                .insert(item, into: moved(level), at: position, section: section)
            case .put(let fields, let path): .put(fields, at: moved(path))
            case .patch(let changes, let path): .patch(changes, at: moved(path))
            case .move(let path, let level, let position, let section):
                .move(moved(path), into: moved(level), at: position, section: section)
            case .delete(let path): .delete(moved(path))
            }
        return edit
    }
}

extension Edit.Position {
    /// Creates the position from its text in a request. Without a text, or with an unknown text, it is `.last`.
    package init(_ text: String?) {
        let parts = (text ?? "last").split(separator: ":", maxSplits: 1).map(String.init)
        self =
            switch (parts.first, parts.dropFirst().first) {
            case ("first", nil): .first
            case ("before", let key?): .before(key)
            case ("after", let key?): .after(key)
            case (let number?, nil): Int(number).map(Self.index) ?? .last
            default: .last
            }
    }
}
