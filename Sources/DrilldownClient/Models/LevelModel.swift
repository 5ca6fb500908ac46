#if canImport(Observation)
    public import Observation

    /// The model of a screen that shows a level and follows its changes.
    ///
    /// ```swift
    /// List(model.level?.rows ?? []) { row in Text(row.title) }
    ///     .searchable(text: $model.search)
    ///     .task(id: model.search) { await model.follow() }
    /// ```
    @available(iOS 17, macOS 14, tvOS 17, visionOS 1, *)
    @MainActor @Observable
    public final class LevelModel {
        /// The service.
        public let server: Server
        /// The path of the item whose level is shown.
        public let path: ItemPath
        /// The options of the level.
        public let query: LevelQuery
        /// The text to search for below the level; empty to show the level. Call `follow` again after a change.
        public var search = ""
        /// The level; nil until it is first known.
        public private(set) var level: Level?
        /// A sentence to show with the level: the reason why it may be out of date, or why an edit was refused. Nil if
        /// the level is current and no edit was refused.
        public private(set) var notice: String?
        /// Called after each update, for a table view that animates its changes.
        @ObservationIgnored public var onUpdate: (LevelUpdate) -> Void = { _ in }

        /// Creates a model, which shows nothing before `follow`.
        public init(_ server: Server, at path: ItemPath = .root, matching query: LevelQuery = .all) {
            (self.server, self.path, self.query) = (server, path, query)
        }

        /// Shows the level and each change of it, until the task is cancelled or the server refuses the level.
        public func follow() async {
            let query = search.isEmpty ? query : query.searching(for: search)
            do {
                for try await update in server.updates(of: path, matching: query) {
                    level = update.level
                    notice = update.interruption?.detail
                    onUpdate(update)
                }
            } catch {
                notice = "\(error)"
                onUpdate(LevelUpdate(level: level, interruption: error as? Problem))
            }
        }

        /// Runs an edit; its effect comes with the next update. If it is refused, `notice` has the reason.
        ///
        /// ```swift
        /// Button("Delete") { Task { await model.edit { try await $0.delete(row.path) } } }
        /// ```
        public func edit(_ body: (Server) async throws -> Void) async {
            do {
                try await body(server)
                notice = nil
            } catch {
                notice = "\(error)"
            }
        }
    }

    /// The model of a screen that shows a detail and follows its changes.
    ///
    /// ```swift
    /// Text(model.detail?["Text"]?.text ?? "").task { await model.follow() }
    /// ```
    @available(iOS 17, macOS 14, tvOS 17, visionOS 1, *)
    @MainActor @Observable
    public final class DetailModel {
        /// The service.
        public let server: Server
        /// The path of the item; it changes with the title of the item.
        public private(set) var path: ItemPath
        /// The detail; nil until it is first known.
        public private(set) var detail: Detail?
        /// A sentence to show with the detail: the reason why it may be out of date, or why an edit was refused. Nil if
        /// the detail is current and no edit was refused.
        public private(set) var notice: String?

        /// Creates a model, which shows nothing before `follow`.
        public init(_ server: Server, at path: ItemPath) { (self.server, self.path) = (server, path) }

        /// Shows the detail and each change of it, until the task is cancelled or the server refuses the detail.
        ///
        /// Call it again if `path` changes.
        public func follow() async {
            do {
                for try await update in server.updates(ofDetail: path) {
                    detail = update.detail
                    notice = update.interruption?.detail
                }
            } catch {
                notice = "\(error)"
            }
        }

        /// Changes fields of the shown detail, and keeps changes that others made to other fields.
        ///
        /// If the edit is refused, `notice` has the reason; after a conflict, `detail` is the current item. Does
        /// nothing before the detail is known.
        public func patch(_ changes: Fields, removing names: [String] = []) async {
            guard let shown = detail else { return }
            do {
                let changed = try await server.patch(changes, removing: names, of: shown)
                (detail, path, notice) = (changed, changed.path, nil)
            } catch {
                if case .detail(let current)? = (error as? EditConflict)?.current { detail = current }
                notice = "\(error)"
            }
        }
    }
#endif
