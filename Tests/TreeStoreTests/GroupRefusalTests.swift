import Dispatch
import Levels
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

/// Which of the requests of a group gets a refusal that the source gives during the save.
@Suite("A refusal of the source") struct GroupRefusalTests {
    private let scratch: ScratchFolder
    private let outcomes = EditOutcomes()

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", items("A"))
    }

    @Test(
        "is for the request that the source names among those that were applied",
        arguments: [
            ["?", "X"], ["?", "?", "X"], ["X", "?"], ["?", "B", "X"], ["B", "?", "X", "C"], ["B", "C", "X", "?", "D"],
        ])
    func request(_ group: [String]) throws {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let applied = group.filter { $0 != "?" }
        // The second save is of the whole group. Those before the refused request are saved without it, and it is the
        // first of the next group.
        let again = applied[0] != "X" ? 4 : group[0] == "?" ? 3 : 2
        let source = EditableSource(scratch("Data.plist")) { number throws(SaveError) in
            if number == 1 {
                begun.signal()
                goOn.wait()
            }
            guard number == 2 || number == again else { return }
            throw .refused(
                number: number == 2 ? applied.firstIndex(of: "X") ?? 0 : 0,
                EditRefusal(.conflict, detail: "X is forbidden."))
        }
        let store = try TreeStore(source: source) { _ in }
        store.insert("first", into: outcomes)
        begun.wait()
        for (number, title) in group.enumerated() {
            guard title == "?" else {
                store.insert(title, into: outcomes)
                continue
            }
            store.edit([], as: "? \(number)", into: outcomes) { _ throws(EditRefusal) in
                throw EditRefusal(.conflict, detail: "The condition does not hold.")
            }
        }
        goOn.signal()
        #expect(outcomes.waits(for: group.count + 1))
        for (number, title) in group.enumerated() {
            switch title {
            case "?": #expect(outcomes["? \(number)"] == "The condition does not hold.")
            case "X": #expect(outcomes["X"] == "X is forbidden.")
            default: #expect(outcomes[title]?.hasPrefix("done") == true)
            }
        }
        #expect(store.current.titles == (["A", "first"] + applied.filter { $0 != "X" }).joined(separator: " "))
    }
}
