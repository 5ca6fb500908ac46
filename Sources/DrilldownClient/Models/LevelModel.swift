#if canImport(Observation)
    public import Observation

    extension Problem {
        /// The error itself, the problem of a conflict, or a problem with the description of another error.
        fileprivate init(of error: any Error) {
            let other = Problem(Kind(rawValue: "error"), title: "Error", detail: "\(error)")
            self = error as? Problem ?? (error as? EditConflict)?.problem ?? other
        }
    }

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
        /// The text to search for below the level; if it is empty, the level itself is shown. Call `follow` again after
        /// you change the text.
        public var search = ""
        /// The level; nil as long as no state of the level is known.
        public private(set) var level: Level?
        /// The reason why the level may be out of date, or why the server refused the level or an edit; nil if nothing is
        /// wrong.
        public private(set) var problem: Problem?
        /// Whether the level comes from the cache folder.
        public private(set) var isFromCache = false
        /// Whether the level is the server's current level, as far as the client knows.
        public private(set) var isCurrent = false
        /// Called after each update, so that a table view can animate the changes.
        @ObservationIgnored public var onUpdate: (LevelUpdate) -> Void = { _ in }

        /// Creates a model without a level; `follow` loads the level.
        public init(_ server: Server, at path: ItemPath = .root, matching query: LevelQuery = .all) {
            (self.server, self.path, self.query) = (server, path, query)
        }

        /// Whether neither a level nor a problem is known yet.
        public var isLoading: Bool { level == nil && problem == nil }

        /// The problem as an English sentence, for apps without sentences of their own.
        public var notice: String? { problem?.detail }

        /// Shows the current level, then each change, until the task is cancelled or the server refuses the level.
        public func follow() async {
            let query = search.isEmpty ? query : query.searching(for: search)
            // The level may be that of another search.
            isCurrent = false
            do {
                for try await update in server.updates(of: path, matching: query) {
                    show(update)
                }
            } catch {
                show(LevelUpdate(level: level, isFromCache: isFromCache, interruption: Problem(of: error)))
            }
        }

        private func show(_ update: LevelUpdate) {
            (level, problem) = (update.level, update.interruption)
            (isFromCache, isCurrent) = (update.isFromCache, update.isCurrent)
            onUpdate(update)
        }

        /// Runs an edit. The next update shows the effect of the edit. If the edit is refused, `problem` is the reason.
        ///
        /// ```swift
        /// Button("Delete") { Task { await model.edit { try await $0.delete(row.path, ifMatch: row.fieldsVersion) } } }
        /// ```
        public func edit(_ body: (Server) async throws -> Void) async {
            do {
                try await body(server)
                problem = nil
            } catch {
                problem = Problem(of: error)
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
        /// The path of the item. It may change when `patch` changes the title.
        public private(set) var path: ItemPath
        /// The detail; nil as long as no state of the detail is known.
        public private(set) var detail: Detail?
        /// The reason why the detail may be out of date, or why the server refused the detail or an edit; nil if nothing
        /// is wrong.
        public private(set) var problem: Problem?
        /// Whether the detail is the server's current detail, as far as the client knows.
        public private(set) var isCurrent = false

        /// The problem as an English sentence, for apps without sentences of their own.
        public var notice: String? { problem?.detail }

        /// Creates a model without a detail; `follow` loads the detail.
        public init(_ server: Server, at path: ItemPath) { (self.server, self.path) = (server, path) }

        /// Shows the current detail, then each change, until the task is cancelled or the server refuses the detail.
        ///
        /// Call `follow` again if `path` changes.
        public func follow() async {
            isCurrent = false
            do {
                for try await update in server.updates(ofDetail: path) {
                    (detail, problem, isCurrent) = (update.detail, update.interruption, update.isCurrent)
                }
            } catch {
                (problem, isCurrent) = (Problem(of: error), false)
            }
        }

        /// Changes fields of the shown item; changes that other clients made to other fields are kept.
        ///
        /// If the edit is refused, `problem` is the reason. After a conflict, `detail` is the current state of the item.
        /// Does nothing as long as `detail` is nil.
        public func patch(_ changes: Fields, removing names: [String] = []) async {
            guard let shown = detail else { return }
            do {
                let changed = try await server.patch(changes, removing: names, of: shown)
                (detail, path, problem) = (changed, changed.path, nil)
            } catch {
                if case .detail(let current)? = (error as? EditConflict)?.current { detail = current }
                problem = Problem(of: error)
            }
        }
    }
#endif
