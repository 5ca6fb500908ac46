#if canImport(Observation)
    public import Observation

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
        /// Whether the detail comes from the cache folder.
        public private(set) var isFromCache = false
        /// Whether the detail is the server's current detail, as far as the client knows.
        public private(set) var isCurrent = false

        @ObservationIgnored private let following = Following()

        /// Creates a model without a detail; `follow` loads the detail.
        public init(_ server: Server, at path: ItemPath) {
            (self.server, self.path) = (server, path)
            following.observe = { [weak self] in await self?.observe() }
        }

        /// Whether neither a detail nor a problem is known yet.
        public var isLoading: Bool { detail == nil && problem == nil }

        /// Follows the detail until the task is cancelled: shows the current detail, then each change.
        ///
        /// If the server refuses the detail, `problem` is the reason; `reload()` then tries again.
        public func follow() async {
            await following.follow()
            if !following.isActive { isCurrent = false }
        }

        /// Requests the detail again, for `refreshable`. If the server does not answer, `problem` is the reason.
        public func reload() async {
            server.retryNow()
            do {
                let answer = try await server.detail(at: path)
                if !following.isActive {
                    (detail, problem) = (answer, nil)
                } else if following.hasEnded {
                    following.restart()
                }
            } catch {
                fail(error)
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
                (detail, problem) = (changed, nil)
                guard changed.path != path else { return }
                path = changed.path
                following.restart()
            } catch {
                if case .detail(let current)? = (error as? EditConflict)?.current { detail = current }
                problem = Problem.shown(error) ?? problem
            }
        }

        private func observe() async {
            isCurrent = false
            do {
                for try await update in server.updates(ofDetail: path) {
                    (detail, problem) = (update.detail, update.interruption)
                    (isFromCache, isCurrent) = (update.isFromCache, update.isCurrent)
                }
            } catch {
                if !Task.isCancelled { fail(error) }
            }
        }

        private func fail(_ error: any Error) {
            guard let problem = Problem.shown(error) else { return }
            (self.problem, isCurrent) = (problem, false)
        }
    }
#endif
