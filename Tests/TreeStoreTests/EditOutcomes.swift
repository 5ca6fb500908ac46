import Dispatch
import Levels
import Locking
import PropertyLists

@testable import TreeStore

/// The answers of edits, in words, and a way to wait for them.
final class EditOutcomes: Sendable {
    private let outcomes = Guarded<[String: String]>([:])
    private let arrivals = DispatchSemaphore(value: 0)

    /// What became of the edits so far, by their names.
    var all: [String: String] { outcomes.withLock { $0 } }

    subscript(name: String) -> String? { all[name] }

    func note(_ outcome: EditOutcome, for name: String) {
        outcomes.withLock { $0[name] = outcome.words }
        arrivals.signal()
    }

    /// Waits until so many edits were answered; false after twenty seconds without an answer.
    func waits(for count: Int) -> Bool {
        let limit = DispatchTime.now() + .seconds(120)
        while all.count < count {
            guard arrivals.wait(timeout: limit) == .success else { return all.count >= count }
        }
        return true
    }
}

extension EditOutcome {
    /// Such as `done 3: A B`: the publication and the titles of its first level.
    fileprivate var words: String {
        switch self {
        case .done(let publication, _): "done \(publication.number): \(publication.snapshot.titles)"
        case .refused(let refusal): refusal.detail
        case .noSpace: "no space"
        case .failed(let id, let isUnknown):
            id.wholeMatch(of: /[0-9a-f]{8}/) == nil ? "an odd id" : isUnknown ? "unknown" : "failed"
        case .busy: "busy"
        case .away: "away"
        case .stopped: "stopped"
        }
    }
}

extension Snapshot {
    /// The titles of the first level, separated by spaces.
    var titles: String {
        guard let level = document.child(0) else { return "" }
        return (0..<level.count).map(level.title).joined(separator: " ")
    }
}

extension TreeStore {
    /// Asks for an edit whose outcome is noted under a name.
    func edit(
        _ edits: [Edit], as name: String, by author: String? = nil, into outcomes: EditOutcomes,
        precondition: @escaping @Sendable (Snapshot) throws(EditRefusal) -> Void = { _ in }
    ) {
        edit(
            EditRequest(
                content: .edits(EditBatch(edits, isExact: false)), author: author, precondition: precondition
            ) { outcomes.note($0, for: name) })
    }

    /// Asks for a row of this title at the end of the first level.
    func insert(_ title: String, into outcomes: EditOutcomes) {
        edit([.insert(.string(title), below: .root, at: .last, section: nil)], as: title, into: outcomes)
    }

    /// Performs an edit.
    func edited(_ edits: [Edit], by author: String? = nil) -> String? {
        let outcomes = EditOutcomes()
        edit(edits, as: "edit", by: author, into: outcomes)
        return outcomes.waits(for: 1) ? outcomes["edit"] : nil
    }

    /// Performs the insertion of a row at the end of the first level.
    func inserted(_ title: String) -> String? {
        edited([.insert(.string(title), below: .root, at: .last, section: nil)])
    }
}
