internal import Bytes
internal import PropertyLists

/// The elements of one container. New elements are inserted, and others are removed with their commas, comments and
/// lines.
extension Splicer {
    /// The element that precedes the current place in a container.
    private enum Before {
        case nothing
        /// An element of the older text.
        case old(Int)
        /// A new element, with its place.
        case new(Place, isBeforeOld: Bool)
    }

    /// Copies a container with its changes.
    ///
    /// - Parameters:
    ///   - change: copies an element that stays, with the changes inside it.
    ///   - write: writes a new element.
    func splice<Content>(
        _ list: TextList, steps: [ListStep<Content>], change: (Content) throws(PropertyListError) -> Void,
        write: (Content, Place) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        let outer = unit
        defer { unit = outer }
        try measureUnit(of: list)
        if list.firstStart == nil { return try fill(list, steps: steps, write) }
        var left = steps.count { !$0.isDrop }
        var before = Before.nothing
        var index = 0
        while index < steps.count {
            switch steps[index] {
            case .keep(let elements, let content):
                left -= 1
                if let content { try change(content) }
                let last = elements.upperBound - 1
                try settleComma(of: last, in: list, isLast: left == 0)
                before = .old(last)
            case .drop(let first):
                var last = first
                if let comments = try comments(in: list.slot(first)) {
                    pieces.copy(upTo: try list.slot(first).range.lowerBound)
                    pieces.pass(upTo: comments.lowerBound)
                    pieces.copy(upTo: comments.upperBound)
                    pieces.pass(upTo: try list.slot(first).end)
                    break
                }
                while index + 1 < steps.count, case .drop(let next) = steps[index + 1],
                    try comments(in: list.slot(next)) == nil,
                    try text.blanks(in: list.slot(last).end..<list.slot(next).range.lowerBound) != nil
                {
                    last = next
                    index += 1
                }
                try drop(first, last: last, of: list)
            case .insert(let content):
                left -= 1
                before = try insert(after: before, in: list, isLast: left == 0) { (place) throws(PropertyListError) in
                    try write(content, place)
                }
            }
            index += 1
        }
    }

    /// Measures the indentation of the elements relative to their container. The result is the unit of indentation for
    /// this part of the document.
    func measureUnit(of list: TextList) throws(PropertyListError) {
        guard let first = list.firstStart, let inner = try text.indent(of: first),
            let outer = try indent(of: list), inner.starts(with: outer)
        else { return }
        unit = Array(inner.dropFirst(outer.count))
    }

    /// The indentation of the line that begins with a container or its key; nil if the container begins within a line.
    private func indent(of list: TextList) throws(PropertyListError) -> [UInt8]? {
        if let indent = try text.indent(of: list.anchor) { return indent }
        return try text.indent(of: list.opening.lowerBound)
    }

    /// Writes or omits the comma after an element that stays.
    private func settleComma(of number: Int, in list: TextList, isLast: Bool) throws(PropertyListError) {
        guard syntax == .json, let slot = list.slots[number] else { return }
        if isLast, let comma = slot.comma {
            let end = try text.blanks(after: comma + 1)
            let endsLine = try text.character(end)?.isLineBreak ?? true
            // If the comma ends its line, the blanks around it are omitted, too; otherwise they would be left at the
            // line's end.
            pieces.copy(upTo: endsLine ? max(slot.range.upperBound, try text.blanks(before: comma)) : comma)
            pieces.pass(upTo: endsLine ? end : comma + 1)
        } else if !isLast, slot.comma == nil {
            pieces.copy(upTo: slot.range.upperBound)
            pieces.append([UInt8(ascii: ",")])
        }
    }

    // MARK: Insertion

    private func insert(
        after before: Before, in list: TextList, isLast: Bool, _ write: (Place) throws(PropertyListError) -> Void
    ) throws(PropertyListError) -> Before {
        let comma: [UInt8] = syntax == .json && !isLast ? [UInt8(ascii: ",")] : []
        switch before {
        case .new(let place, let isBeforeOld):
            try begin(place, gap: isBeforeOld ? [] : try gap(in: list, near: nil))
            try write(place)
            pieces.append(comma)
            if isBeforeOld, !isLast { pieces.append(try gap(in: list, near: nil)) }
            return before
        case .nothing:
            guard let first = list.firstStart else { return before }
            let indent = try text.indent(of: first)
            let place = try self.place(in: list, indent: indent, like: list.numbers.lowerBound)
            if indent == nil {
                pieces.copy(upTo: first)
            } else {
                let start = list.opening.upperBound
                pieces.copy(upTo: try text.lineEnd(after: start).end ?? start)
                try begin(place, gap: [])
            }
            try write(place)
            pieces.append(comma)
            if indent == nil, !isLast { pieces.append(try gap(in: list, near: nil)) }
            return .new(place, isBeforeOld: indent == nil)
        case .old(let number):
            let slot = try list.slot(number)
            let indent = try indent(after: number, in: list)
            let place = try self.place(in: list, indent: indent, like: number)
            pieces.copy(upTo: indent == nil ? slot.end : try text.lineEnd(after: slot.end).end ?? slot.end)
            try begin(place, gap: try gap(in: list, near: number))
            try write(place)
            pieces.append(comma)
            return .new(place, isBeforeOld: false)
        }
    }

    /// Begins the line of a new element, or writes the gap before the element.
    private func begin(_ place: Place, gap: [UInt8]) throws(PropertyListError) {
        guard let indent = place.lineIndent else { return pieces.append(gap) }
        pieces.append(place.style.lineBreak)
        pieces.append(indent)
    }

    /// The indentation of a new element after an old element; nil if the new element is on the same line.
    private func indent(after number: Int, in list: TextList) throws(PropertyListError) -> [UInt8]? {
        let slot = try list.slot(number)
        let own = try text.indent(of: slot.range.lowerBound)
        guard let next = list.slots[number + 1] else { return own }
        guard try text.hasLineBreak(in: slot.range.upperBound..<next.range.lowerBound) else { return nil }
        if let own { return own }
        if let following = try text.indent(of: next.range.lowerBound) { return following }
        return try text.lineIndent(around: next.range.lowerBound) ?? []
    }

    /// The layout of a new element.
    ///
    /// - Parameter number: the element beside the new one. If it is a container on one line, the new element is also
    ///   written on one line.
    private func place(
        in list: TextList, indent: [UInt8]?, like number: Int
    ) throws(PropertyListError) -> Place {
        let line = pieces.shifted(indent)
        var style = try self.style(line, near: list.firstStart ?? list.opening.upperBound)
        if let slot = list.slots[number], list.keyGap == nil, try isContainerOnOneLine(slot.range) {
            style.indent = nil
        }
        let between = list.keyGap ?? (syntax == .json ? style.colon : line.map { style.lineBreak + $0 } ?? [])
        return Place(style: style, lineIndent: line, keyGap: between)
    }

    private func isContainerOnOneLine(_ range: Range<Int>) throws(PropertyListError) -> Bool {
        guard range.count < 2_048 else { return false }
        let found = try text.characters(range)
        let isContainer =
            syntax == .xml
            ? found.starts(with: Array("<dict".utf8)) || found.starts(with: Array("<array".utf8))
            : found.first == UInt8(ascii: "{") || found.first == UInt8(ascii: "[")
        return isContainer && !found.contains(where: \.isLineBreak)
    }

    /// The text between two elements on the same line, after the comma.
    private func gap(in list: TextList, near number: Int?) throws(PropertyListError) -> [UInt8] {
        let first = list.numbers.lowerBound
        for number in [number ?? first, (number ?? first) - 1, first] {
            guard let slot = list.slots[number], let next = list.slots[number + 1] else { continue }
            let end = min(next.range.lowerBound, slot.end + 16)
            if let gap = try text.blanks(in: slot.end..<end) { return gap }
        }
        guard syntax == .json, try colon().last?.isBlank == true else { return [] }
        return [UInt8(ascii: " ")]
    }

    // MARK: Empty containers

    /// Writes the first elements of an empty container.
    private func fill<Content>(
        _ list: TextList, steps: [ListStep<Content>], _ write: (Content, Place) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        let contents = steps.compactMap { step in if case .insert(let content) = step { content } else { nil } }
        guard !contents.isEmpty else { return }
        let outer = pieces.shifted(try indent(ofEmpty: list))
        let style = try self.style(outer.map { $0 + unit }, near: list.opening.lowerBound)
        let colon = syntax == .json ? style.colon : style.indent.map { style.lineBreak + $0 } ?? []
        let place = Place(style: style, lineIndent: style.indent, keyGap: colon)
        let closing = try open(list, isOnOneLine: outer == nil)
        for (number, content) in contents.enumerated() {
            try begin(place, gap: number == 0 ? [] : try gap(in: list, near: nil))
            try write(content, place)
            if number + 1 < contents.count, syntax == .json { pieces.append([UInt8(ascii: ",")]) }
        }
        if closing.needsLine, let outer { pieces.append(style.lineBreak + outer) }
        pieces.append(closing.text)
    }

    /// The indentation of an empty container; nil if the container is within a line.
    ///
    /// A container whose end begins a line was emptied by an earlier edit. Such a container counts as multi-line, even
    /// if it begins within a line.
    private func indent(ofEmpty list: TextList) throws(PropertyListError) -> [UInt8]? {
        if let indent = try indent(of: list) { return indent }
        guard try text.hasLineBreak(in: list.opening.upperBound..<list.closing.lowerBound) else { return nil }
        return try text.indent(of: list.closing.lowerBound)
    }

    /// Copies or writes the beginning of an empty container. Returns the text to write after the new elements.
    private func open(
        _ list: TextList, isOnOneLine: Bool
    ) throws(PropertyListError) -> (needsLine: Bool, text: [UInt8]) {
        let inner = list.opening.upperBound..<list.closing.lowerBound
        if list.closing.isEmpty {
            pieces.copy(upTo: list.opening.lowerBound)
            let tag = try text.document.utf8(list.opening).dropLast(2)
            pieces.append(Array(tag[...(tag.lastIndex { $0 > 0x20 } ?? tag.startIndex)]) + [UInt8(ascii: ">")])
            pieces.pass(upTo: list.opening.upperBound)
            let name = tag.dropFirst().prefix { $0 > 0x20 }
            return (true, Array("</".utf8) + name + [UInt8(ascii: ">")])
        }
        let blanks = try text.blanks(in: inner.lowerBound..<min(inner.upperBound, inner.lowerBound + 256))
        if isOnOneLine {
            let isBlank = blanks?.count == inner.count
            pieces.copy(upTo: list.closing.lowerBound)
            return (false, isBlank ? blanks ?? [] : [])
        }
        if blanks?.count == inner.count {
            pieces.copy(upTo: inner.lowerBound)
            pieces.pass(upTo: inner.upperBound)
            return (true, [])
        }
        let end = try text.lineEnd(after: inner.lowerBound).end ?? inner.lowerBound
        pieces.copy(upTo: min(end, inner.upperBound))
        return (try !text.hasLineBreak(in: min(end, inner.upperBound)..<inner.upperBound), [])
    }

    // MARK: Deletion

    /// The comments between the key and the value of an entry in XML, if any.
    private func comments(in slot: TextSlot) throws(PropertyListError) -> Range<Int>? {
        guard syntax == .xml else { return nil }
        let gap = try text.characters(slot.between)
        guard let first = gap.firstIndex(where: { $0 > 0x20 }), let last = gap.lastIndex(where: { $0 > 0x20 }) else {
            return nil
        }
        return slot.between.lowerBound + first..<slot.between.lowerBound + last + 1
    }

    /// Omits elements on one line, and also the line if nothing else is on it.
    private func drop(_ first: Int, last: Int, of list: TextList) throws(PropertyListError) {
        let start = try list.slot(first).range.lowerBound
        let end = try list.slot(last).end
        let line = try text.lineEnd(after: end)
        let following = try text.blanks(after: end)
        let beginsLine = try text.indent(of: start) != nil
        // Comments beside an entry stay with the dictionary; a comment beside a row goes with the row.
        let keepsComments = line.comments > end && (list.isDictionary || first != last)
        if let lineEnd = line.end, beginsLine, !keepsComments {
            pieces.copy(upTo: try text.lineBreak(before: start))
            pieces.pass(upTo: lineEnd)
        } else if following < list.closing.lowerBound, line.end == nil || keepsComments && beginsLine {
            pieces.copy(upTo: start)
            pieces.pass(upTo: following)
        } else {
            pieces.copy(upTo: beginsLine ? start : try text.blanks(before: start))
            pieces.pass(upTo: end)
        }
    }
}

/// The steps that turn the old elements of a container into the new elements. The steps are in the order of the new
/// elements, with the dropped elements in between.
enum ListStep<Content> {
    /// Elements that stay. With `changing`, there is a single element, and it changes inside.
    case keep(Range<Int>, changing: Content?)
    case drop(Int)
    /// A new element.
    case insert(Content)

    var isDrop: Bool { if case .drop = self { true } else { false } }
    /// Whether an element comes or goes.
    var rearranges: Bool { if case .keep = self { false } else { true } }
}
