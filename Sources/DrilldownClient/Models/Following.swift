#if canImport(Observation)
    /// The observation of a model: it goes on as long as at least one screen follows the model.
    @available(iOS 17, macOS 14, tvOS 17, visionOS 1, *)
    @MainActor
    final class Following {
        private var followers = 0
        private var task: Task<Void, Never>?
        /// Observes until the task is cancelled or the observation ends.
        var observe: () async -> Void = {}

        /// Whether the observation has ended although a screen follows the model.
        private(set) var hasEnded = false

        /// Whether at least one screen follows the model.
        var isActive: Bool { followers > 0 }

        /// Observes until the task is cancelled.
        func follow() async {
            followers += 1
            if followers == 1 { restart() }
            // Only cancellation ends this.
            do { while true { try await Task.sleep(for: .seconds(3_600)) } } catch {}
            followers -= 1
            if !isActive { task?.cancel() }
        }

        /// Begins the observation again, if a screen follows the model.
        func restart() {
            task?.cancel()
            hasEnded = false
            guard isActive else { return }
            task = Task {
                await observe()
                if !Task.isCancelled { hasEnded = true }
            }
        }
    }

    extension Problem {
        /// Returns the problem of an error: the error itself, the problem of a conflict, or a problem with the
        /// description of another error. Returns nil for a cancellation.
        static func shown(_ error: any Error) -> Problem? {
            if error is CancellationError { return nil }
            let other = Problem(Kind(rawValue: "error"), title: "Error", detail: "\(error)")
            return error as? Problem ?? (error as? EditConflict)?.problem ?? other
        }
    }
#endif
