import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// A session's document is the one that a builder makes of the edited files.
@Suite("A session of random edits")
struct RandomSessionTests {
    private static let settings: [RandomSession.Setting] = [
        .init(syntax: .xml, contents: [.dates, .data, .nonfinite, .sectionKeys, .orders]),
        .init(syntax: .json, contents: [.sectionKeys, .textBeyondXML]),
        .init(syntax: .json, contents: [.dates, .data, .nonfinite, .textBeyondXML], isExact: true),
        .init(
            syntax: .binary, contents: [.dates, .data, .nonfinite, .uids, .fractions, .textBeyondXML], isExact: true),
        .init(syntax: .binary, contents: [.dates, .data, .nonfinite, .uids, .fractions, .textBeyondXML]),
        .init(
            syntax: .xml, contents: [.dates, .data, .sectionKeys],
            mapping: "title=t·,key=k·,children=c·|r·,sections=s·,sectionKeys=o·,sectionTitles=h·"),
        .init(syntax: .binary, contents: [.dates, .data, .uids, .textBeyondXML], isSplit: true),
        .init(syntax: .xml, contents: [.dates, .sectionKeys], isSplit: true, isExact: true),
    ]

    @Test("gives the documents that are built of the edited files", arguments: 0..<16)
    func edits(_ part: Int) throws {
        let setting = Self.settings[part % 8]
        var done = 0
        for seed in RandomRounds.first(2 as UInt64) {
            var random = try RandomSession(seed: UInt64(part * 1_000) + seed, setting)
            for number in 0..<20 {
                let before = random.session
                let outcome = try random.next()
                try check(outcome, after: before, "part \(part), seed \(seed), edit \(number): \(outcome.edit)")
                if outcome.refusal == nil { done += 1 }
                if random.isLarge || random.isAstray { break }
            }
        }
        #expect(done > 10, "most edits can be done")
    }

    @Test("makes one tree of a batch, as its steps do one by one", arguments: 0..<6)
    func batches(_ part: Int) throws {
        for seed in RandomRounds.first(4 as UInt64) {
            var random = try RandomSession(seed: UInt64(part * 1_000 + 500) + seed, Self.settings[part])
            var batched = random.session
            var edits: [Edit] = []
            var last: EditedItem?
            while edits.count < 14, !random.isLarge {
                let outcome = try random.next()
                guard outcome.refusal == nil else { continue }
                edits.append(outcome.edit)
                last = outcome.items.first
            }
            let items = try batched.apply(EditBatch(edits, isExact: Self.settings[part].isExact))
            let name = "part \(part), seed \(seed)"
            #expect(LevelComparison.difference(batched.document, random.session.document) == nil, "\(name)")
            #expect(items.count == edits.count, "\(name)")
            #expect(items.last?.rowPath == last?.rowPath, "\(name)")
            for file in batched.changedFiles { try OriginCheck(file).check(name) }
        }
    }

    private func check(_ outcome: RandomSession.Outcome, after before: EditSession, _ name: String) throws {
        switch outcome.reference {
        case .failure(let error):
            let refusal = try #require(outcome.refusal, "\(name): should be refused, \(error)")
            if let refused = error as? EditReference.Refused {
                #expect(refused.kinds.contains(refusal.kind.plain), "\(name): \(refusal)")
            }
            #expect(outcome.session.document === before.document, "\(name)")
            #expect(refusal.step == 0 && refusal.detail.hasSuffix("."), "\(name): \(refusal)")
        case .success(let (built, path)):
            if case .notAllowed = outcome.refusal?.kind {
                // The reference knows no controls; which values they can have is tested with `ControlCheck`.
                #expect(outcome.session.document === before.document, "\(name)")
                return
            }
            #expect(outcome.refusal == nil, "\(name): \(outcome.refusal.map { "\($0)" } ?? "")")
            guard outcome.refusal == nil else { return }
            let expected = built.composition.document
            let composed =
                outcome.session.composition == nil ? built.composition.source : expected
            let edited = outcome.session.document
            let content = try edited.told(0).difference(from: composed.told(0))
            #expect(content == nil, "\(name)")
            let difference = LevelComparison.difference(edited, composed)
            #expect(difference == nil || content != nil, "\(name)")
            if outcome.session.document.hash == before.document.hash {
                #expect(outcome.session.document === before.document, "\(name): nothing has changed")
            }
            switch outcome.items.first {
            case .present(let item, _): #expect(item.rowPath == path, "\(name)")
            case .deleted: #expect(path == nil, "\(name)")
            default: Issue.record("\(name): \(outcome.items)")
            }
            for file in outcome.session.changedFiles { try OriginCheck(file).check(name) }
        }
    }
}

extension EditRefusal.Kind {
    /// The kind alone.
    var plain: EditReference.Kind {
        switch self {
        case .noSuchItem: .noSuchItem
        case .exists: .exists
        case .badPlace: .badPlace
        case .conflict, .preconditionFailed, .preconditionRequired, .outOfMemory, .revision: .conflict
        case .invalid, .notAllowed, .constraint: .invalid
        }
    }
}

extension EditedItem {
    /// The rows that lead to the item if it is there.
    fileprivate var rowPath: [Int]? {
        if case .present(let item, _) = self { item.rowPath } else { nil }
    }
}
