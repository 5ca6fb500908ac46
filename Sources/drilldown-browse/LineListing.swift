import DrilldownClient

/// A listing of a place as lines, for pipes, files and users without a terminal.
struct LineListing {
    let server: Server
    let address: String

    private static let wide = 1_000_000

    /// Prints the current content of a place.
    ///
    /// - Parameter follows: whether to go on printing the changes until the program is ended.
    func print(_ place: Place, follows: Bool) async throws {
        if place.kind == .detail { return try await printDetail(at: place.path, follows: follows) }
        let first = try await level(at: place.path)
        // The error is in the file that holds the rows. The level can be followed nevertheless, because the file may be
        // repaired.
        if let error = first.error, !follows { throw Failure(error) }
        if first.isLeaf, first.error == nil { return try await printDetail(at: place.path, follows: follows) }
        if follows { return try await follow(place.path) }
        for section in first.sections where first.count == 0 {
            for text in [section.title, section.footer] { if let text { try write("\(DisplayText(text))") } }
        }
        if keepsLevels {
            for row in first.rows { try write(line(of: row)) }
        } else {
            for try await row in server.rows(at: place.path) { try write(line(of: row)) }
        }
    }

    private var keepsLevels: Bool { server.configuration.cacheFolder != nil }

    /// Returns the level with all rows or its first rows. With a cache folder, all rows are returned, from the folder
    /// if the server cannot be reached.
    private func level(at path: ItemPath) async throws -> Level {
        guard keepsLevels else { return try await server.level(at: path) }
        for try await update in server.updates(of: path) {
            guard let level = update.level else {
                if let problem = update.interruption { throw problem }
                continue
            }
            if let problem = update.interruption { Browse.complain("\(problem)") }
            guard update.isCurrent || !update.isConnected else { continue }
            await server.flushCache()
            if let problem = server.cacheProblem { Browse.complain("\(problem)") }
            return level
        }
        throw CancellationError()
    }

    private func follow(_ path: ItemPath) async throws {
        var error: String?
        for try await update in server.updates(of: path) {
            if let told = update.level?.error, told != error { Browse.complain(told) }
            error = update.level?.error
            guard let difference = update.difference else {
                for row in update.level?.rows ?? [] { try write(line(of: row)) }
                continue
            }
            for line in lines(of: difference) { try write(line) }
        }
    }

    private func printDetail(at path: ItemPath, follows: Bool) async throws {
        var shown = lines(of: try await server.detail(at: path))
        for line in shown { try write(line) }
        guard follows else { return }
        for try await update in server.updates(ofDetail: path) {
            guard let detail = update.detail, !update.isFromCache else { continue }
            let lines = lines(of: detail)
            for line in changes(from: shown, to: lines) { try write(line) }
            shown = lines
        }
    }

    private func lines(of detail: Detail) -> [String] {
        FieldLines.lines(of: detail.fields, columns: Self.wide, depth: 0).map(\.text)
    }

    /// Returns the lines that were removed, after `-`, and the lines that were added, after `+`.
    private func changes(from old: [String], to new: [String]) -> [String] {
        let difference = new.difference(from: old)
        return (difference.removals + difference.insertions).map { change in
            switch change {
            case .remove(_, let line, _): "- " + line
            case .insert(_, let line, _): "+ " + line
            }
        }
    }

    /// Returns the title of a row, the number of rows below it and its URL, with tabs between them.
    func line(of row: Row) -> String { "\(DisplayText(row.title))\t\(row.count)\t\(address)\(row.href)" }

    /// Returns a line for each row that has changed: `-` removed, `+` added, `>` moved, `~` altered.
    func lines(of difference: LevelDifference) -> [String] {
        difference.removed.map { "- " + line(of: difference.old.rows[$0]) }
            + difference.inserted.map { "+ " + line(of: difference.new.rows[$0]) }
            + difference.moved.map { "> " + line(of: difference.new.rows[$0.new]) }
            + difference.updated.map { "~ " + line(of: difference.new.rows[$0.new]) }
    }

    private func write(_ line: String) throws { try StandardOutput.put(line + "\n") }
}
