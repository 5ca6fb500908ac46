import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Follows the provenance of an edited file: parts that it declares equal must be equal.
struct ProvenanceCheck {
    private let file: ChangedFile

    init(_ file: ChangedFile) { self.file = file }

    func check(_ name: String) throws {
        var origins: [[Int]] = []
        try check(file.provenance, Item(rootOf: file.new), name, &origins)
        #expect(Set(origins).count == origins.count, "\(name): a row is the origin of two")
    }

    private func check(
        _ provenance: Provenance, _ item: Item, _ name: String, _ origins: inout [[Int]]
    ) throws {
        switch provenance {
        case .new: return
        case .same(let path):
            origins.append(path)
            try expectSame(path, item, name)
        case .changed(let origin, nil):
            let path = try #require(origin, "\(name): a new item must list its rows")
            origins.append(path)
            let old = try #require(Item(rowPath: path, in: file.old), "\(name)")
            // Records stay where they are, however they are drilled.
            guard item.level?.form.isDrilled != true else { return }
            #expect(old.level?.hash == item.level?.hash, "\(name): the level of \(path) is another")
        case .changed(let origin, let runs?):
            if let origin { origins.append(origin) }
            try check(runs, of: origin, below: item, name, &origins)
        }
    }

    private func check(
        _ runs: [Provenance.Run], of origin: [Int]?, below item: Item, _ name: String, _ origins: inout [[Int]]
    ) throws {
        let count = item.level?.rowCount ?? 0
        #expect(runs.reduce(0) { $0 + $1.count } == count, "\(name): all rows have a run")
        var row = 0
        for run in runs {
            guard row < count, let level = item.level else { return }
            switch run {
            case .row(let provenance):
                let below = Item(item.steps + [Item.Step(level: level, row: row)])
                try check(provenance, below, name, &origins)
            case .same(let range):
                let origin = try #require(origin, "\(name)")
                for (offset, old) in range.enumerated() where row + offset < count {
                    origins.append(origin + [old])
                    let below = Item(item.steps + [Item.Step(level: level, row: row + offset)])
                    try expectSame(origin + [old], below, name)
                }
            }
            row += run.count
        }
    }

    private func expectSame(_ path: [Int], _ item: Item, _ name: String) throws {
        let old = try #require(Item(rowPath: path, in: file.old), "\(name): no \(path)")
        #expect(old.level?.hash == item.level?.hash, "\(name): below \(path)")
        let difference = try old.own.level.told(old.own.row).difference(from: item.own.level.told(item.own.row))
        #expect(difference == nil, "\(name): \(path)")
    }
}
