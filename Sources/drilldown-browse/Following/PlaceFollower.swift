import DrilldownClient

/// Reads a place and goes on telling how it changes, until its task is cancelled.
struct PlaceFollower: Sendable {
    let server: Server
    let tell: @Sendable (PlaceUpdate) -> Void

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
        for try await update in server.updates(of: path, matching: query) {
            tell(connection: update.connection)
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
        guard let parent = path.parent, let key = path.lastKey else {
            for try await update in server.updates(of: path, matching: .limited(to: 1)) {
                tell(connection: update.connection)
                tell(.detail(try await server.detail(at: path)))
            }
            return
        }
        let query = LevelQuery.where("Key", equals: .text(key)).showing(.all)
        for try await update in server.updates(of: parent, matching: query) {
            tell(connection: update.connection)
            do {
                tell(.detail(try await server.detail(at: path)))
            } catch let problem as Problem where problem.status == nil {
                // The updates go on when the server is back.
                tell(.trouble(problem.detail))
            }
        }
    }

    private func tell(connection: Void) {}
}
