import Testing

@testable import DatabaseTrees

@Suite struct PositionPlanTests {
    private let space = PositionPlan.distance

    @Test func spreadsTheRowsOfANewSection() {
        #expect(PositionPlan.positions(of: [nil, nil, nil]) == [space, 2 * space, 3 * space])
    }

    @Test func leavesRowsWhereTheyAre() {
        #expect(PositionPlan.positions(of: [-7, 0, 5]) == [-7, 0, 5])
    }

    @Test func putsARowInTheMiddleOfItsGap() {
        #expect(PositionPlan.positions(of: [0, nil, 1_000]) == [0, 500, 1_000])
    }

    @Test func putsRowsBeforeTheFirstAndAfterTheLast() {
        #expect(PositionPlan.positions(of: [nil, 10, nil]) == [10 - space, 10, 10 + space])
    }

    @Test func spreadsNeighboursWhereThereIsNoGap() {
        let positions = PositionPlan.positions(of: [1, nil, 2])
        #expect(positions.count == 3)
        #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func keepsFarRowsWhenThereIsNoGap() {
        let known: [Int64?] = (0..<100).map { $0 * space } + [99 * space + 1]
        let positions = PositionPlan.positions(of: Array(known[..<100]) + [nil, known[100]])
        #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
        #expect(positions.prefix(90).elementsEqual((0..<90).map { Int64($0) * space }))
    }

    @Test func putsAThousandRowsInOnePlaceWithFewWrites() {
        var rows: [Int64?] = [0, space]
        var written = 0
        for _ in 0..<1_000 {
            rows.insert(nil, at: 1)
            let positions = PositionPlan.positions(of: rows)
            #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
            written += zip(rows, positions).count { $0 != $1 }
            rows = positions
        }
        #expect(written < 20_000)
    }
}
