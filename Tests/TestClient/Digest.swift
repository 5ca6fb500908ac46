import DrilldownClient

/// A short hash of the rows of a level, which a test compares with that of a level it read itself (FNV-1a, 64 bits).
struct Digest {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    init(_ rows: [Row]) {
        for row in rows {
            add(row.key)
            add(row.version)
            add(row.title)
            add(row.href)
            add(String(row.count))
            add(row.fields["Subtitle"]?.text ?? "")
        }
    }

    private mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        add(0xFF)
    }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
    }
}
