/// The item of a step, followed through the later steps of its batch.
struct FollowedItem {
    private enum State {
        case present(rows: [Int])
        case deleted
    }

    /// The rows that lead to the place where its file is mounted.
    private let mount: [Int]
    private var state: State
    private let isNew: Bool

    /// - Parameter path: its rows in the file; nil for an item that its own step has removed.
    init(mount: [Int], path: [Int]?, isNew: Bool) {
        self.mount = mount
        self.isNew = isNew
        state = path.map { .present(rows: $0) } ?? .deleted
    }

    /// The number of its row; nil if it is gone.
    var row: Int? { if case .present(let rows) = state { rows.last } else { nil } }

    /// Whether it is at some rows of its file, or below them.
    func isBelow(_ path: [Int]) -> Bool {
        if case .present(let rows) = state { rows.starts(with: path) } else { false }
    }

    /// Takes over what a later step does.
    mutating func take(_ effect: RowEffect) {
        guard case .present(let rows) = state else { return }
        state = effect.place(of: rows).map { .present(rows: $0) } ?? .deleted
    }

    /// What became of it.
    func item(in document: Level) -> EditedItem {
        switch state {
        case .present(let rows):
            Item(rowPath: mount + rows, in: document).map { .present($0, isNew: isNew) } ?? .deleted
        case .deleted: .deleted
        }
    }
}
