import DrilldownClient

/// The follower of one place, which reports the content and its changes until the task is cancelled.
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
            tell(.refusal(Browse.sentence(for: error)))
        }
    }

    private func followLevel(at path: ItemPath, searchingFor text: String) async throws {
        let query: LevelQuery = text.isEmpty ? .all : .searching(for: text)
        for try await update in server.updates(of: path, matching: query) {
            tell(.trouble(update.interruption?.detail))
            guard let level = update.level else { continue }
            let difference = update.difference
            var changed = Set<Row.ID>()
            for position in difference?.inserted ?? [] { changed.insert(level.rows[position].id) }
            for row in difference?.updated ?? [] { changed.insert(level.rows[row.new].id) }
            let removed = difference.map { $0.removed.count - $0.renamedRows } ?? 0
            tell(.level(level, changed: changed, removed: removed, isKept: update.isFromCache))
        }
    }

    private func followDetail(at path: ItemPath) async throws {
        for try await update in server.updates(ofDetail: path) {
            tell(.trouble(update.interruption?.detail))
            if let detail = update.detail { tell(.detail(detail, isKept: update.isFromCache)) }
        }
    }
}

extension LevelDifference {
    /// The number of inserted rows that replace a removed row at the same position.
    ///
    /// The browser reports such a pair of rows as one changed row.
    var renamedRows: Int {
        let places = Set(removed.map { $0 == 0 ? nil : old.rows[$0 - 1].id })
        return inserted.filter { places.contains($0 == 0 ? nil : new.rows[$0 - 1].id) }.count
    }
}

/// News about the place that is shown.
enum PlaceUpdate: Equatable, Sendable {
    /// The current level, the rows that were added or altered, and the number of rows that were removed and not
    /// replaced.
    case level(Level, changed: Set<Row.ID>, removed: Int, isKept: Bool)
    case detail(Detail, isKept: Bool)
    /// The reason why the server cannot be asked at present, as a sentence; nil when it answers again.
    case trouble(String?)
    /// The server's refusal, as a sentence. This is the last update.
    case refusal(String)
}
