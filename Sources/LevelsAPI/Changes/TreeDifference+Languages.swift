import Levels

extension TreeDifference {
    /// What differs between two snapshots in any of their languages.
    init(from old: Snapshot, to new: Snapshot, _ arrangements: ArrangementCache = ArrangementCache(bytes: 0)) {
        self.init(from: old.document, to: new.document, arrangements)
        let variants = (old.translations?.variants ?? []) + (new.translations?.variants ?? [])
        var seen: Set<String> = []
        for variant in variants where seen.insert(variant.name).inserted {
            let other = TreeDifference(
                from: old.document(in: variant.number), to: new.document(in: variant.number), arrangements)
            formUnion(other)
        }
    }
}
