import Bytes
public import PropertyLists

/// Keys, and what they say of the value to come.
extension TreeBuilder {
    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        noteText(name)
        switch kind {
        case .item: try itemKey(name, at: position)
        case .sectionDictionary: try sectionKey(name, at: position)
        case .namedSections: frames[frames.count - 1].needBranch().name = String(utf8: name)
        default:
            if let earlier = fields.begin(name, base: frames[frames.count - 1].fieldBase, at: position) {
                warnAboutRepeatedKey(name, at: position, after: earlier)
            }
        }
    }

    mutating func itemKey(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        let top = frames.count - 1
        let meaning = roles.meaning(of: name)
        let earlier = fields.begin(name, base: frames[top].fieldBase, at: position)
        if let earlier { warnAboutRepeatedKey(name, at: position, after: earlier) }
        role = meaning.role
        guard let known = meaning.role else {
            if meaning.isNearMiss { warnAboutNearMiss(name, in: roles, at: position) }
            return
        }
        switch known {
        case .title where meaning.rank <= frames[top].titleRank:
            frames[top].titleRank = meaning.rank
            frames[top].titleField = fields.count - 1
            // For a weaker name, only the item's end determines whether its value is the title or any field.
            if meaning.rank > 0 { role = nil }
        case .key where meaning.rank <= frames[top].keyRank:
            frames[top].keyRank = meaning.rank
            frames[top].keyField = fields.count - 1
        case .title, .key: role = nil
        case .children, .sections:
            if frames[top].holderField != nil, earlier == nil {
                throw PropertyListError(
                    "the item has both '\(quoted: holderName(of: frames[top]))' and '\(quoted: name)'; only one of them can hold its level"
                )
            }
            frames[top].holderField = fields.count - 1
            frames[top].branch = nil
        case .sectionKeys, .sectionTitles: fields.bytes.append(PackedTag.hidden)
        }
    }

    /// After a value, the next key says what comes.
    @inline(__always)
    mutating func didReadValue() {
        role = nil
    }
}
