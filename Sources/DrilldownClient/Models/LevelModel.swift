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
        /// The text to search for below the level; if it is empty, the level itself is shown. Call `follow` again after
        /// you change the text.
        public var search = ""
        /// The level; nil as long as no state of the level is known.
        public private(set) var level: Level?
        /// A sentence to show with the level; nil if nothing is wrong.
        ///
        /// It is the reason why the level may be out of date, or why the server refused the level or an edit.
        public private(set) var notice: String?
        /// Called after each update, so that a table view can animate the changes.
        @ObservationIgnored public var onUpdate: (LevelUpdate) -> Void = { _ in }

        /// Creates a model without a level; `follow` loads the level.
        public init(_ server: Server, at path: ItemPath = .root, matching query: LevelQuery = .all) {
            (self.server, self.path, self.query) = (server, path, query)
        }

        /// Shows the current level, then each change, until the task is cancelled or the server refuses the level.
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

        /// Runs an edit. The next update shows the effect of the edit. If the edit is refused, `notice` is the reason.
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
        /// The path of the item. It may change when `patch` changes the title.
        public private(set) var path: ItemPath
        /// The detail; nil as long as no state of the detail is known.
        public private(set) var detail: Detail?
        /// A sentence to show with the detail; nil if nothing is wrong.
        ///
        /// It is the reason why the detail may be out of date, or why the server refused the detail or an edit.
        public private(set) var notice: String?

        /// Creates a model without a detail; `follow` loads the detail.
        public init(_ server: Server, at path: ItemPath) { (self.server, self.path) = (server, path) }

        /// Shows the current detail, then each change, until the task is cancelled or the server refuses the detail.
        ///
        /// Call `follow` again if `path` changes.
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

        /// Changes fields of the shown item; changes that other clients made to other fields are kept.
        ///
        /// If the edit is refused, `notice` is the reason. After a conflict, `detail` is the current state of the item.
        /// Does nothing as long as `detail` is nil.
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
