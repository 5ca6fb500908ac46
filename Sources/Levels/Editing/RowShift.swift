/// How far a run of rows moves.
struct RowShift {
    let rows: Range<Int>
    let distance: Int

    /// What each of up to four runs adds to the distance of the previous one, for rows counted from 1.
    static func steps(_ shifts: [RowShift]) -> (first: SIMD4<UInt32>, distance: SIMD4<UInt32>) {
        var first = SIMD4<UInt32>(repeating: .max)
        var distance = SIMD4<UInt32>()
        var last = 0
        for (number, shift) in shifts.enumerated() {
            first[number] = UInt32(shift.rows.lowerBound + 1)
            distance[number] = UInt32(truncatingIfNeeded: shift.distance - last)
            last = shift.distance
        }
        return (first, distance)
    }
}
