import Testing

@testable import DatabaseTrees

@Suite struct PositionPlanTests {
    private let space = PositionPlan.distance

    private func row(_ position: Int64, id: Int64 = 1, _ movement: PositionPlan.Movement) -> PositionPlan.OldPosition {
        PositionPlan.OldPosition(position: position, id: id, movement: movement)
    }

    @Test func keepsAllRowsButTheOneThatHasMoved() {
        #expect(
            PositionPlan.kept(of: [row(0, .none), row(30, .possible), row(10, .possible), row(20, .possible)])
                == [0, nil, 10, 20])
        #expect(PositionPlan.kept(of: [row(10, .possible), row(20, .possible), row(0, .possible)]) == [10, 20, nil])
    }

    @Test func keepsRowsWithoutMovementFirst() {
        #expect(PositionPlan.kept(of: [row(20, .certain), row(30, .certain), row(10, .none)]) == [nil, nil, 10])
        #expect(PositionPlan.kept(of: [row(20, .certain), row(30, .certain), row(10, .possible)]) == [nil, nil, 10])
        #expect(
            PositionPlan.kept(of: [row(10, .none), row(40, .possible), nil, row(20, .certain), row(30, .none)])
                == [10, nil, nil, 20, 30])
    }

    @Test func ordersEqualPositionsByID() {
        #expect(PositionPlan.kept(of: [row(0, id: 1, .none), row(0, id: 2, .none)]) == [0, 0])
        #expect(PositionPlan.kept(of: [row(0, id: 2, .certain), row(0, id: 1, .possible)]) == [nil, 0])
    }

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
        // Each row is new or has the position after that of the row before it.
        for pattern in 0..<256 {
            var known: Int64 = 0
            let old = (0..<8).map { row -> Int64? in
                guard pattern >> row & 1 == 1 else { return nil }
                known += 1
                return known
            }
            let positions = PositionPlan.positions(of: old)
            #expect(positions.count == 8)
            #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }, "\(old)")
        }
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
