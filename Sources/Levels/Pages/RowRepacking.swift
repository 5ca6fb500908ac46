internal import Bytes

/// Packs the rows of a level again, with other titles or controls; their keys and all other fields stay.
struct RowRepacking: ~Copyable {
    /// The new members of a row's control; nil if they stay.
    typealias ControlMembers = (_ row: Int, _ bytes: Span<UInt8>, _ control: Range<Int>) -> [UInt8]?

    private let level: Level
    private let newTitle: (String) -> String?
    private let newMembers: ControlMembers
    private var output = ByteBuffer()

    /// - Parameters:
    ///   - newTitle: another title for a title that is not empty; nil if it stays.
    ///   - newMembers: the new members of a row's control.
    init(
        of level: Level, newTitle: @escaping (String) -> String? = { _ in nil }, newMembers: @escaping ControlMembers
    ) {
        self.level = level
        self.newTitle = newTitle
        self.newMembers = newMembers
    }

    /// The bytes of the new level.
    mutating func rows() -> [UInt8] {
        let source = level.bytes
        for _ in 0...level.rowCount { output.append(halfWord: 0) }
        // The fingerprints of the keys, which stay.
        let table = (level.rowCount + 1) * 4
        output.append(source.span.extracting(table..<level.packed(0..<0).lowerBound))
        for number in 0..<level.rowCount {
            output.replace(at: number * 4, halfWord: UInt32(truncatingIfNeeded: output.count))
            append(number, of: source.span)
        }
        output.replace(at: level.rowCount * 4, halfWord: UInt32(truncatingIfNeeded: output.count))
        return Array(copying: output.span)
    }

    private mutating func append(_ number: Int, of source: Span<UInt8>) {
        let row = level.row(number)
        let title = level.title(number)
        let replaced = title.isEmpty ? nil : newTitle(title)
        var gathered = ByteBuffer()
        let kept = appendFields(of: number, row, of: source, to: &gathered)
        let end = gathered.count
        gathered.append(replaced ?? title)
        var pending = PendingRow(
            fields: 0..<end, title: end..<gathered.count, isString: row.isString, marks: row.flags.intersection(.marks),
            recordNumber: UInt32(row.recordNumber(in: source)))
        if replaced == nil, let kept { pending.title = kept }
        // Only whether there is one counts here; the key itself follows.
        if row.flags.contains(.hasExplicitKey) { pending.explicitKey = 0..<0 }
        let isOwn = row.flags.contains(.hasOwnKey) || replaced != nil
        LevelAssembler.append(
            pending, key: isOwn ? Array(copying: source.extracting(row.key)) : nil, from: gathered.span, to: &output)
    }

    /// Copies the fields, with the new members of the control.
    ///
    /// - Returns: the range of the title in the copy; nil if it is in no field.
    private func appendFields(
        of number: Int, _ row: Row, of source: Span<UInt8>, to output: inout ByteBuffer
    ) -> Range<Int>? {
        let members = row.control(in: source).flatMap { newMembers(number, source, $0) }
        var title: Range<Int>?
        for field in PackedField.all(in: row.fields, of: source) {
            if field.holdsTitle(of: row) { title = row.title.moved(by: output.count - field.range.lowerBound) }
            if let members, field.tag == .control {
                PackedControl.append(members.span, to: &output)
            } else {
                output.append(source.extracting(field.range))
            }
        }
        return title
    }
}
