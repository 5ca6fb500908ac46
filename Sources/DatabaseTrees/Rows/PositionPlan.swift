internal import Levels

/// Chooses new positions for rows of a section so that few other rows must be written again.
enum PositionPlan {
    /// The usual distance between neighbours.
    static let distance: Int64 = 1 << 32
    /// The smallest distance between neighbours if other rows also get new positions, to make room.
    private static let room: Int64 = 1 << 16

    /// The position of a row before an edit.
    struct OldPosition {
        let position: Int64
        /// Orders rows with equal positions.
        let id: Int64
        let movement: Movement
    }

    /// Whether a row has another place among the rows beside it.
    enum Movement: CaseIterable { case none, possible, certain }

    /// Returns the positions that rows keep: as many as possible, so that they are in ascending order. The positions of
    /// rows without movement come first, then those of rows that have possibly moved.
    ///
    /// - Parameter rows: the old positions, in the new order of the rows; nil for a row that needs a new position.
    static func kept(of rows: [OldPosition?]) -> [Int64?] {
        var isKept = [Bool](repeating: false, count: rows.count)
        for movement in Movement.allCases where rows.contains(where: { $0?.movement == movement }) {
            // For each row, the nearest row after it that keeps its position already.
            var next = [OldPosition?](repeating: nil, count: rows.count)
            for number in rows.indices.dropLast().reversed() {
                next[number] = isKept[number + 1] ? rows[number + 1] : next[number + 1]
            }
            var last: OldPosition?
            var candidates: [(row: OldPosition, number: Int)] = []
            for (number, row) in rows.enumerated() {
                guard let row else { continue }
                if isKept[number] {
                    last = row
                } else {
                    let isBehind = last.map { $0.precedes(row) } ?? true
                    let isAhead = next[number].map { row.precedes($0) } ?? true
                    guard row.movement == movement, isBehind, isAhead else { continue }
                }
                candidates.append((row, number))
            }
            // The rows that keep their positions already are in every longest sequence, as all candidates fit between
            // them.
            for index in candidates.longestOrderedIndices(by: { $0.row.precedes($1.row) }) {
                isKept[candidates[index].number] = true
            }
        }
        return zip(rows, isKept).map { row, isKept in isKept ? row?.position : nil }
    }

    /// Returns the positions of all rows, in the order of the rows.
    ///
    /// - Parameter known: the positions that rows keep, in ascending order; nil for a row that needs a new position.
    static func positions(of known: [Int64?]) -> [Int64] {
        var positions = known
        var row = 0
        while row < positions.count {
            guard positions[row] == nil else {
                row += 1
                continue
            }
            let end = positions[row...].firstIndex { $0 != nil } ?? positions.count
            fill(row..<end, positions: &positions)
            row = end
        }
        return positions.compactMap(\.self)
    }

    /// Gives rows new positions between the positions of their neighbours. If the gap is too small, rows near the gap
    /// also get new positions.
    private static func fill(_ rows: Range<Int>, positions: inout [Int64?]) {
        var window = rows
        var wanted = Int64(1)
        var size = rows.count
        while true {
            let low = window.lowerBound > 0 ? positions[window.lowerBound - 1] : nil
            let high = window.upperBound < positions.count ? positions[window.upperBound] : nil
            if let spread = spread(window.count, after: low, before: high, apart: wanted) {
                for (row, position) in zip(window, spread) { positions[row] = position }
                return
            }
            if window == positions.startIndex..<positions.endIndex {
                // Not reached: no table holds enough rows to use up all positions.
                return
            }
            size *= 2
            wanted = room
            let more = size - window.count
            window =
                max(0, window.lowerBound - (more + 1) / 2)..<min(positions.count, window.upperBound + (more + 1) / 2)
            // Extends the window until the rows before and after it have positions.
            while window.lowerBound > 0, positions[window.lowerBound - 1] == nil {
                window = window.lowerBound - 1..<window.upperBound
            }
            while window.upperBound < positions.count, positions[window.upperBound] == nil {
                window = window.lowerBound..<window.upperBound + 1
            }
        }
    }

    /// Returns evenly spaced positions between two others; nil if there is not enough room.
    private static func spread(
        _ count: Int, after low: Int64?, before high: Int64?, apart wanted: Int64
    ) -> [Int64]? {
        let rows = Int64(count)
        switch (low, high) {
        case (nil, nil): return (1...rows).map { $0 * distance }
        case (let low?, nil):
            guard low <= .max - (rows + 1) * distance else { return nil }
            return (1...rows).map { low + $0 * distance }
        case (nil, let high?):
            guard high >= .min + (rows + 1) * distance else { return nil }
            return (1...rows).map { high - (rows + 1 - $0) * distance }
        case (let low?, let high?):
            let (width, overflows) = high.subtractingReportingOverflow(low)
            let step = overflows ? distance : min(distance, width / (rows + 1))
            guard step >= wanted else { return nil }
            return (1...rows).map { low + $0 * step }
        }
    }
}

extension PositionPlan.OldPosition {
    fileprivate func precedes(_ other: Self) -> Bool { (position, id) < (other.position, other.id) }
}
