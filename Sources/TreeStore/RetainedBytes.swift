import Levels

/// The memory that it costs to keep a tree beside another one: the levels that the other does not share.
enum RetainedBytes {
    /// Counts the bytes of a snapshot's documents in all languages.
    static func of(_ old: Snapshot, beside new: Snapshot, atMost bound: Int) -> Int {
        var bytes = of(old.document, beside: new.document, atMost: bound)
        for variant in old.translations?.variants ?? [] {
            bytes += of(variant.document, beside: new.document(in: variant.number), atMost: bound)
        }
        return bytes
    }

    /// Counts the bytes until a bound is passed; linear in the levels that differ and their rows.
    static func of(_ old: Level, beside new: Level, atMost bound: Int) -> Int {
        var bytes = 0
        var waiting: [(old: Level, new: Level?)] = [(old, new)]
        while bytes <= bound, let (old, new) = waiting.popLast() {
            bytes += old.residentBytes
            for row in old.rowNumbers {
                guard let below = old.child(row) else { continue }
                let place = row < new?.count ?? 0 ? row : 0
                let other = old.row(sameAs: row, in: new, near: place).flatMap { new?.child($0) }
                if other?.hash != below.hash { waiting.append((below, other)) }
            }
        }
        return bytes
    }
}
