import DrilldownClient

/// Reads a place and goes on telling how it changes, until its task is cancelled.
struct PlaceFollower: Sendable {
    let server: Server
    let tell: @Sendable (PlaceUpdate) -> Void

    /// How long the first answer may take before something is said about it.
    private static let patience: UInt64 = 1_000_000_000

    func follow(_ place: Place) async {
        do {
            switch place.kind {
            case .level: try await followLevel(at: place.path, searchingFor: place.search ?? "")
            case .detail: try await followDetail(at: place.path)
            }
        } catch is CancellationError {
            return
        } catch {
            tell(.refusal("\(error)"))
        }
    }

    private func followLevel(at path: ItemPath, searchingFor text: String) async throws {
        let query: LevelQuery = text.isEmpty ? .all : .searching(for: text)
        try await forEachUpdate(of: path, matching: query) { update in
            let difference = update.difference
            var changed = Set<Row.ID>()
            for position in difference?.inserted ?? [] { changed.insert(update.level.rows[position].id) }
            for row in difference?.updated ?? [] { changed.insert(update.level.rows[row.new].id) }
            let removed = difference?.removed.count ?? 0
            tell(.level(update.level, changed: changed, removed: removed, isKept: update.origin == .cache))
        }
    }

    /// Asks for the detail again whenever its row changes, of which all fields are asked for.
    private func followDetail(at path: ItemPath) async throws {
        let row: LevelQuery = path.lastKey.map { .where("Key", equals: .text($0)).showing(.all) } ?? .showing(.all)
        try await forEachUpdate(of: path.parent ?? path, matching: row) { _ in
            do {
                tell(.detail(try await server.detail(at: path)))
            } catch let problem as Problem where problem.isTemporary {
                // The updates tell when the server is back.
                tell(.trouble(problem.detail))
            }
        }
    }

    private func forEachUpdate(
        of path: ItemPath, matching query: LevelQuery, _ body: (LevelUpdate) async throws -> Void
    ) async throws {
        let probe = Task { try await tellWhyNothingComes(from: path) }
        defer { probe.cancel() }
        for try await update in server.updates(of: path, matching: query) {
            probe.cancel()
            tell(.trouble(update.interruption?.detail))
            try await body(update)
        }
    }

    /// The updates begin with the first answer, and say nothing if there is none.
    private func tellWhyNothingComes(from path: ItemPath) async throws {
        while true {
            try await Task.sleep(nanoseconds: Self.patience)
            do {
                _ = try await server.level(at: path, matching: .limited(to: 1))
            } catch let problem as Problem where problem.isTemporary {
                tell(.trouble(problem.detail))
            }
        }
    }
}
