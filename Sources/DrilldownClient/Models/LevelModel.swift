#if canImport(Observation)
    public import Observation

    /// The model of a screen that shows a level and follows its changes.
    ///
    /// ```swift
    /// @State private var model = LevelModel<Product>(server, at: ["Products"], matching: .limited(to: 100))
    ///
    /// List {
    ///     ForEach(model.items) { item in Text(item.title).onAppear { model.appeared(item) } }
    /// }
    /// .searchable(text: $model.search)
    /// .refreshable { await model.reload() }
    /// .task { await model.follow() }
    /// ```
    ///
    /// `Value` is the type as which each row is read: `Row`, or an app's own `Decodable` type (see ``Row/decode(_:)``).
    @available(iOS 17, macOS 14, tvOS 17, visionOS 1, *)
    @MainActor @Observable
    public final class LevelModel<Value: Sendable> {
        /// The service.
        public let server: Server
        /// The path of the item whose level is shown.
        public let path: ItemPath
        /// The options of the level. With a limit, the model shows the first rows, and more of them on demand.
        public let query: LevelQuery
        /// The text to search for below the level; if it is empty, the level itself is shown.
        public var search = "" {
            didSet { if search != oldValue { searchLater() } }
        }
        /// The fields that a search looks through.
        @ObservationIgnored public var searchedFields = LevelQuery.SearchedFields.title
        /// The time from the last change of `search` to the search.
        @ObservationIgnored public var searchDelay = Duration.milliseconds(300)
        /// The level; nil as long as no state of the level is known.
        public private(set) var level: Level?
        /// The sections with their rows. A section whose rows are all on later pages is left out.
        public private(set) var sections: [Section] = []
        /// The errors of the rows that cannot be read as `Value`. These rows are not among the items.
        public private(set) var faults: [any Error] = []
        /// The reason why the level may be out of date, or why the server refused the level or an edit; nil if nothing
        /// is wrong.
        public private(set) var problem: Problem?
        /// Whether the level comes from the cache folder.
        public private(set) var isFromCache = false
        /// Whether the level is the server's current level, as far as the client knows.
        public private(set) var isCurrent = false
        /// Called after each update, so that a table view can animate the changes.
        @ObservationIgnored public var onUpdate: (LevelUpdate) -> Void = { _ in }

        @ObservationIgnored private let read: @Sendable (Row) throws -> Value
        @ObservationIgnored private let following = Following()
        @ObservationIgnored private var typing: Task<Void, any Error>?
        /// The query for the rows that are loaded or being loaded, without the search.
        @ObservationIgnored private var loaded: LevelQuery

        private init(
            _ server: Server, at path: ItemPath, matching query: LevelQuery,
            reading read: @escaping @Sendable (Row) throws -> Value
        ) {
            (self.server, self.path, self.query, self.read, loaded) = (server, path, query, read, query)
            following.observe = { [weak self] in await self?.observe() }
        }

        /// A row of the level, with the value that was read from it. The members of the value are members of the item.
        @dynamicMemberLookup
        public struct Item: Identifiable, Sendable {
            /// The row.
            public let row: Row
            /// The row as an app's own type.
            public let value: Value

            /// The identity of the row in its list.
            public var id: Row.ID { row.id }
            /// A member of the value.
            public subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member { value[keyPath: member] }
        }

        /// A section of the level with its items.
        public struct Section: Identifiable, Sendable {
            /// The title above the rows; nil for a section without a title.
            public let title: String?
            /// The text in the index at the side of a table; nil if the section is not in the index.
            public let index: String?
            /// The text below the rows; nil for a section without a footer.
            public let footer: String?
            /// The rows that could be read as `Value`.
            public let items: [Item]
            /// The identity of the section on its level.
            public let id: Level.Section.ID
        }

        /// The items of all sections.
        public var items: [Item] { sections.flatMap(\.items) }

        /// Whether neither a level nor a problem is known yet.
        public var isLoading: Bool { level == nil && problem == nil }

        /// Whether the level has more rows than are loaded.
        public var hasMore: Bool { level.map { $0.start.saturatingSum($0.rows.count) < $0.count } ?? false }

        /// Follows the level until the task is cancelled: shows the current level, then each change.
        ///
        /// If the server refuses the level, `problem` is the reason; `reload()` or another search then tries again.
        public func follow() async {
            await following.follow()
            if !following.isActive { isCurrent = false }
        }

        /// Requests the level again, for `refreshable`. If the server does not answer, `problem` is the reason.
        public func reload() async {
            server.retryNow()
            do {
                let answer = try await server.level(at: path, matching: following.isActive ? probe : shown)
                if !following.isActive {
                    await show(ObservedState.Moment(content: answer))
                } else if following.hasEnded {
                    following.restart()
                }
            } catch {
                fail(error)
            }
        }

        /// Loads more rows if an item is near the end of the loaded rows. Call it when the item appears.
        public func appeared(_ item: Item) {
            guard let level, hasMore else { return }
            if level.rows.suffix(max(1, level.rows.count / 4)).contains(where: { $0.id == item.id }) { loadMore() }
        }

        /// Loads twice as many rows as now; after 10,000 rows, loads all rows.
        public func loadMore() {
            // The level has fewer rows than the limit while more rows are being loaded.
            guard hasMore, let level, let limit = loaded.limit, limit <= level.rows.count,
                loaded.removing("limit") == loaded.withoutPage
            else { return }
            let most = LevelTarget.pageSize
            loaded = limit < most ? loaded.limited(to: min(2 * limit, most)) : loaded.withoutPage
            following.restart()
        }

        /// Runs an edit. The next update shows the effect of the edit. If the edit is refused, `problem` is the reason.
        ///
        /// ```swift
        /// Button("Delete") { Task { await model.edit { try await $0.delete(item.row.path) } } }
        /// ```
        public func edit(_ body: (Server) async throws -> Void) async {
            do {
                try await body(server)
                problem = nil
            } catch {
                problem = Problem.shown(error) ?? problem
            }
        }
    }

    @available(iOS 17, macOS 14, tvOS 17, visionOS 1, *)
    extension LevelModel where Value == Row {
        /// Creates a model without a level; `follow` loads the level.
        public convenience init(_ server: Server, at path: ItemPath = .root, matching query: LevelQuery = .all) {
            self.init(server, at: path, matching: query) { $0 }
        }
    }

    @available(iOS 17, macOS 14, tvOS 17, visionOS 1, *)
    extension LevelModel where Value: Decodable {
        /// Creates a model that reads each row as a value of the app's own type; `follow` loads the level.
        ///
        /// The query must show the fields that the type reads: with `.showing(.all)`, or with their names.
        public convenience init(_ server: Server, at path: ItemPath = .root, matching query: LevelQuery = .all) {
            self.init(server, at: path, matching: query) { try $0.decode() }
        }
    }

    @available(iOS 17, macOS 14, tvOS 17, visionOS 1, *)
    extension LevelModel {
        /// The query for the rows to show.
        private var shown: LevelQuery {
            search.isEmpty ? loaded : loaded.withoutOutline.searching(for: search, in: searchedFields)
        }

        /// A query that the server refuses if it refuses the query for the rows to show.
        private var probe: LevelQuery { shown.withoutPage.limited(to: 1) }

        private func searchLater() {
            typing?.cancel()
            let delay = search.isEmpty ? .zero : searchDelay
            typing = Task {
                try await Task.sleep(for: delay)
                loaded = query
                following.restart()
            }
        }

        private func observe() async {
            // The level may be that of another search.
            isCurrent = false
            var observer = ObserverIterator(
                observations: server.observations, target: LevelTarget(path: path, query: shown))
            do {
                while let newest = try await observer.next()?.newest { await show(newest) }
            } catch {
                if !Task.isCancelled { fail(error) }
            }
        }

        private func show(_ newest: ObservedState<Level>.Moment) async {
            let reading = await Reading(newest.content, after: level, by: read)
            guard !Task.isCancelled else { return }
            let update = LevelUpdate(
                level: newest.content, difference: reading.difference, isFromCache: newest.isFromCache,
                interruption: newest.interruption)
            // A search that cannot be made yet does not hide the level.
            if let level = newest.content { (self.level, sections, faults) = (level, reading.sections, reading.faults) }
            (problem, isFromCache, isCurrent) = (update.interruption, update.isFromCache, update.isCurrent)
            onUpdate(update)
        }

        private func fail(_ error: any Error) {
            guard let problem = Problem.shown(error) else { return }
            (self.problem, isCurrent) = (problem, false)
            onUpdate(LevelUpdate(level: level, isFromCache: isFromCache, interruption: problem))
        }

        /// The items of a level, and the changes since the level before. They are made outside the main actor.
        private struct Reading: Sendable {
            var difference: LevelDifference?
            var sections: [Section] = []
            var faults: [any Error] = []

            nonisolated init(
                _ level: Level?, after old: Level?, by read: @Sendable (Row) throws -> Value
            ) async {
                guard let level else { return }
                difference = old.map { LevelDifference(from: $0, to: level) }
                for section in level.sections {
                    let rows = level.rows(in: section)
                    guard section.count == 0 || !rows.isEmpty else { continue }
                    var items: [Item] = []
                    items.reserveCapacity(rows.count)
                    for row in rows {
                        do { items.append(Item(row: row, value: try read(row))) } catch { faults.append(error) }
                    }
                    sections.append(
                        Section(
                            title: section.title, index: section.index, footer: section.footer, items: items,
                            id: section.id))
                }
            }
        }
    }
#endif
