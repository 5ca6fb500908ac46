internal import Bytes
internal import PropertyLists

/// Sections, when their rows and their dictionaries end.
extension TreeBuilder {
    mutating func closeSectionRows() {
        let frame = pop()
        guard let list = frame.list else { return }
        let section = Section(start: frame.base.row, count: tree.rows.count - frame.base.row)
        switch kind {
        case .section:
            list.section.start = section.start
            list.section.count = section.count
            list.section.fields += [PackedTag.hole.rawValue, LevelForm.rows.rawValue]
            frames[frames.count - 1].base.start = tree.fields.bytes.count
        case .namedSections:
            if list.addNamed(section) {
                warn(
                    "the section '\(quoted: list.name)' appears more than once; the last one counts", at: frame.position
                )
            }
        default: list.add(section)
        }
    }

    mutating func closeSection() {
        takeSectionFields()
        let frame = pop()
        guard let list = frame.list else { return }
        list.closeSection(at: tree.rows.count)
    }

    /// Takes up what the section's dictionary holds so far: its texts, and its fields as they are.
    mutating func takeSectionFields() {
        let frame = frames[frames.count - 1]
        guard let list = frame.list else { return }
        for field in frame.base.field..<tree.fields.count { take(field, as: &list.section) }
        _ = tree.fields.close(base: frame.base.field)
        let read = frame.base.start..<tree.fields.bytes.count
        list.section.fields += Array(copying: tree.fields.bytes.span.extracting(read))
        tree.fields.bytes.truncate(to: read.lowerBound)
    }

    private func take(_ field: Int, as section: inout Section) {
        let start = tree.fields.start(field)
        guard start.meaning.slot != 0, start.name.upperBound < tree.fields.bytes.count else { return }
        switch sectionSlots.slot(start.meaning.slot).name {
        case Slot.sectionTitle.name: section.title = tree.fields.scalarText(at: start.name.upperBound)
        case Slot.sectionIndex.name: section.index = tree.fields.scalarText(at: start.name.upperBound)
        case Slot.sectionType.name: frames.last?.list?.hasTypes = true
        case Slot.sectionFooter.name: section.footer = tree.fields.scalarText(at: start.name.upperBound)
        default: break
        }
    }
}
