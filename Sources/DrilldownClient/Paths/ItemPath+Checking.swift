extension ItemPath {
    /// Checks that the path can be sent: no item has one of these keys, and in a URL they would lead to another item.
    ///
    /// - Throws: `Problem` of the kind `.badPath`.
    func check() throws(Problem) {
        guard let key = keys.first(where: Self.isImpossible) else { return }
        throw .impossibleKey(key)
    }

    /// Whether a segment of a URL would be dropped, or would name the segment before it.
    static func isImpossible(_ key: String) -> Bool { key.isEmpty || key == "." || key == ".." }
}

extension Problem {
    /// No item or file can have this name.
    static func impossibleKey(_ key: String) -> Problem {
        Problem(
            .badPath, title: "Bad path",
            detail: "A path contains the key '\(key)', which no item can have; nothing was sent.",
            members: ["key": .text(key)])
    }
}

extension Edit {
    /// The paths that the edit names.
    var paths: [ItemPath] {
        switch action {
        case .insert(_, let level, _, _): [level]
        case .put(_, let path), .patch(_, let path), .delete(let path): [path]
        case .move(let path, let level, _, _): [path, level]
        }
    }

    /// Checks that the paths can be sent.
    ///
    /// - Throws: `Problem` of the kind `.badPath`.
    func checkPaths() throws(Problem) {
        for path in paths { try path.check() }
    }
}
