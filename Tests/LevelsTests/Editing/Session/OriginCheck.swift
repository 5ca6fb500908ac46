import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Follows the draft of an edited file: items that it declares unchanged must be equal to their origins.
struct OriginCheck {
    private let file: ChangedFile

    init(_ file: ChangedFile) { self.file = file }

    func check(_ name: String) throws {
        var origins: [[Int]] = []
        let draft = try #require(file.draft, "\(name)")
        try check(draft.root, Item(rootOf: file.new), name, &origins)
        #expect(Set(origins).count == origins.count, "\(name): a row is the origin of two")
    }

    private func check(_ draft: ItemDraft, _ item: Item, _ name: String, _ origins: inout [[Int]]) throws {
        if let origin = draft.origin { origins.append(origin) }
        switch draft.change {
        case .new: return
        case .same: try expectSame(#require(draft.origin), item, name)
        case .changed:
            if let level = draft.draft { return try check(level, below: item, name, &origins) }
            let path = try #require(draft.origin, "\(name): a new item must have a draft of its rows")
            let old = try #require(Item(rowPath: path, in: file.old), "\(name)")
            // Records stay where they are, however they are drilled.
            guard item.level?.form.isDrilled != true else { return }
            #expect(old.level?.hash == item.level?.hash, "\(name): the level of \(path) is another")
        }
    }

    private func check(
        _ draft: LevelDraft, below item: Item, _ name: String, _ origins: inout [[Int]]
    ) throws {
        let level = try #require(item.level, "\(name)")
        #expect(draft.rowCount == level.rowCount, "\(name): all rows are in the draft")
        var (row, next) = (0, 0)
        for run in draft.runs(in: 0..<draft.rowCount) {
            switch run {
            case .item(let edited):
                try check(edited, Item(item.steps + [Item.Step(level: level, row: row)]), name, &origins)
                row += 1
            case .old(let range):
                #expect(range.lowerBound >= next, "\(name): old rows stay in order")
                next = range.upperBound
                for old in range {
                    if let origin = draft.origin {
                        origins.append(origin + [old])
                        let below = Item(item.steps + [Item.Step(level: level, row: row)])
                        try expectSame(origin + [old], below, name)
                    }
                    row += 1
                }
            }
        }
    }

    private func expectSame(_ path: [Int], _ item: Item, _ name: String) throws {
        let old = try #require(Item(rowPath: path, in: file.old), "\(name): no \(path)")
        #expect(old.level?.hash == item.level?.hash, "\(name): below \(path)")
        let difference = try old.own.level.told(old.own.row).difference(from: item.own.level.told(item.own.row))
        #expect(difference == nil, "\(name): \(path)")
    }
}
