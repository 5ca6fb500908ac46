import DrilldownClient

/// Reads a place and reports its changes until its task is cancelled.
struct PlaceFollower: Sendable {
    let server: Server
    var sleep: @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
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
        try await forEachUpdate(of: path, matching: query) { update in
            guard let level = update.level else { return true }
            let difference = update.difference
            var changed = Set<Row.ID>()
            for position in difference?.inserted ?? [] { changed.insert(level.rows[position].id) }
            for row in difference?.updated ?? [] { changed.insert(level.rows[row.new].id) }
            let removed = difference.map { $0.removed.count - $0.renamedRows } ?? 0
            tell(.level(level, changed: changed, removed: removed, isKept: update.isFromCache))
            return true
        }
    }

    /// Requests the detail again whenever its row, which has all fields, changes or is replaced by another.
    private func followDetail(at path: ItemPath) async throws {
        var row: LevelQuery = path.lastKey.map { .where("Key", equals: .text($0)).showing(.all) } ?? .showing(.all)
        var position: Int?
        while !Task.isCancelled {
            try await forEachUpdate(of: path.parent ?? path, matching: row) { update in
                guard update.isConnected else { return true }
                let detail = try await detail(at: path)
                tell(.detail(detail))
                let index = detail.position.index
                guard path.parent != nil, index != position else { return true }
                (row, position) = (.starting(at: index).limited(to: 1).showing(.all), index)
                return false
            }
        }
    }

    /// Asks for a detail until the server answers, at first soon and then less and less often.
    private func detail(at path: ItemPath) async throws -> Detail {
        var bound = 0.5
        while true {
            do {
                let detail = try await server.detail(at: path)
                tell(.trouble(nil))
                return detail
            } catch let problem as Problem where problem.isTemporary {
                tell(.trouble(problem.detail))
                try await sleep(problem.retryAfter.map { min($0, 300) } ?? .random(in: bound / 2...bound))
                bound = min(2 * bound, 30)
            }
        }
    }

    /// Runs the body with each update until it returns false.
    private func forEachUpdate(
        of path: ItemPath, matching query: LevelQuery, _ body: (LevelUpdate) async throws -> Bool
    ) async throws {
        for try await update in server.updates(of: path, matching: query) {
            tell(.trouble(update.interruption?.detail))
            guard try await body(update) else { return }
        }
    }
}

extension LevelDifference {
    /// The number of rows that were removed and inserted at one place: in the browser each is a row that has changed.
    var renamedRows: Int {
        let places = Set(removed.map { $0 == 0 ? nil : old.rows[$0 - 1].id })
        return inserted.filter { places.contains($0 == 0 ? nil : new.rows[$0 - 1].id) }.count
    }
}

/// News about the place that is shown.
enum PlaceUpdate: Equatable, Sendable {
    /// The level as it is, with the rows that were added or altered, and how many were taken out.
    case level(Level, changed: Set<Row.ID>, removed: Int, isKept: Bool)
    case detail(Detail)
    /// Why the server cannot be asked at present, in a sentence; nil once it answers again.
    case trouble(String?)
    /// The server's refusal, as a sentence; it is the last update.
    case refusal(String)
}
