/// A row of an incomplete level, as ranges of the gathered bytes.
///
/// A level can have a million of them, so the sizes of ranges take four bytes. The size of a longer range is the largest
/// number; the level is then too large to be packed.
struct PendingRow: BitwiseCopyable {
    private var fieldsStart: Int
    private var titleStart: Int
    /// Negative without an explicit key.
    private var keyStart = -1
    /// The position in the document, for messages.
    var place: PackedPosition
    private var fieldsCount: UInt32
    private var titleCount: UInt32
    private var keyCount: UInt32 = 0
    /// The places of the values that give the title and the explicit key, as in the head of a packed row (`Row`).
    private(set) var titlePlace: UInt32 = 0
    private(set) var keyPlace: UInt32 = 0
    /// The number of a record in its table, from 1; 0 if the row is not a record.
    var recordNumber: UInt32
    /// Some of `Row.Flags.marks`.
    var marks: Row.Flags
    var isString: Bool

    init(
        fields: Range<Int>, title: Range<Int>, titleSource: Int = -1, explicitKey: Range<Int>? = nil,
        keySource: Int = -1, isString: Bool = false, marks: Row.Flags = [], recordNumber: UInt32 = 0,
        place: PackedPosition = .none
    ) {
        (fieldsStart, fieldsCount) = (fields.lowerBound, UInt32(clamping: fields.count))
        (titleStart, titleCount) = (title.lowerBound, UInt32(clamping: title.count))
        self.place = place
        self.recordNumber = recordNumber
        self.marks = marks
        self.isString = isString
        self.explicitKey = explicitKey
        self.titleSource = titleSource
        self.keySource = keySource
    }

    /// The packed fields. If they move, the values that give the title and the explicit key move with them.
    var fields: Range<Int> {
        get { fieldsStart..<fieldsStart + Int(fieldsCount) }
        set { (fieldsStart, fieldsCount) = (newValue.lowerBound, UInt32(clamping: newValue.count)) }
    }

    /// The range of the title: inside `fields` if the title is a text in a field, otherwise outside of `fields`.
    var title: Range<Int> {
        get { titleStart..<titleStart + Int(titleCount) }
        set { (titleStart, titleCount) = (newValue.lowerBound, UInt32(clamping: newValue.count)) }
    }

    var explicitKey: Range<Int>? {
        get { keyStart < 0 ? nil : keyStart..<keyStart + Int(keyCount) }
        set { (keyStart, keyCount) = (newValue?.lowerBound ?? -1, UInt32(clamping: newValue?.count ?? 0)) }
    }

    /// The offset of the value that gives the title; -1 if there is none. Counts only if the title is outside of `fields`.
    var titleSource: Int {
        get { source(at: titlePlace) }
        set { titlePlace = place(of: newValue) }
    }

    /// The offset of the value that gives the explicit key; -1 if there is none.
    var keySource: Int {
        get { source(at: keyPlace) }
        set { keyPlace = place(of: newValue) }
    }

    private func source(at place: UInt32) -> Int { place == 0 ? -1 : fieldsStart + Int(place) - 1 }

    private func place(of source: Int) -> UInt32 { source < 0 ? 0 : UInt32(clamping: source - fieldsStart + 1) }

    /// The same row in other bytes, where everything of it has moved by the same distance.
    func moved(by distance: Int) -> PendingRow {
        var row = self
        row.fieldsStart += distance
        row.titleStart += distance
        if keyStart >= 0 { row.keyStart += distance }
        return row
    }
}
