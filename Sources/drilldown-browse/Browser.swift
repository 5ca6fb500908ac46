import DrilldownClient

/// The state of the screen and the effects of keys: a value without a terminal or a server.
struct Browser: Sendable {
    /// An action that a key requests in addition to a change of the screen.
    enum Request: Equatable, Sendable {
        /// Reads and follows the shown place, and stops following the previous place.
        case follow
        case leave
        case suspend
        /// Writes the whole screen again.
        case redraw
    }

    let address: String
    var size: TerminalSize
    /// The opened places, which are never empty. The last place is shown.
    private(set) var places: [Place]
    private(set) var isTyping = false
    /// Whether the list of keys is shown instead of the body, until a key is pressed.
    private(set) var showsKeys = false
    /// The reason why the server cannot be asked at present, as a sentence; nil if the server answers.
    var trouble: String? {
        // The message takes lines from the body, so the selected row may no longer be visible.
        didSet { if trouble != oldValue, place.kind == .level { scrollToSelection() } }
    }
    /// The latest change, in a few words.
    private(set) var news: String?

    init(address: String, size: TerminalSize, at place: Place) {
        self.address = address
        self.size = size
        places = [place]
    }

    var place: Place {
        get { places[places.count - 1] }
        set { places[places.count - 1] = newValue }
    }

    /// The reason why the shown place lacks content; nil if it has content, or if the server has not answered yet.
    var failure: String? { place.refusal ?? (place.level == nil && place.detail == nil ? trouble : nil) }

    /// The lines between the heading and the status lines.
    var bodyLines: Int { max(0, size.lines - 1 - statusLines.count) }

    // MARK: News from the server

    /// Shows the current level, and marks the rows that differ from the previous level.
    ///
    /// - Parameters:
    ///   - level: the whole level.
    ///   - changed: the rows that were added or altered.
    ///   - removed: the number of rows that were removed and not replaced.
    ///   - isKept: whether the level is a cached copy.
    mutating func show(_ level: Level, changed: Set<Row.ID> = [], removed: Int = 0, isKept: Bool = false) {
        place.show(level, changed: changed)
        place.isKept = isKept
        let facts = [
            changed.isEmpty ? nil : changed.count == 1 ? "1 row has changed" : "\(changed.count) rows have changed",
            removed == 0 ? nil : removed == 1 ? "1 row was removed" : "\(removed) rows were removed",
        ].compactMap { $0 }
        if !facts.isEmpty { news = facts.joined(separator: ", ") }
        scrollToSelection()
    }

    /// Shows the current detail.
    ///
    /// - Parameters:
    ///   - detail: the detail.
    ///   - isKept: whether the detail is a cached copy.
    mutating func show(_ detail: Detail, isKept: Bool = false) {
        if let earlier = place.detail, !place.isKept, earlier.fields != detail.fields {
            news = "the detail has changed"
        }
        place.detail = detail
        place.refusal = nil
        place.isKept = isKept
        scroll(to: place.top)
    }

    /// Shows the reason why the server refuses the place, and clears `trouble`, because the server has answered.
    mutating func refuse(_ sentence: String) {
        place.refusal = sentence
        trouble = nil
    }

    mutating func resize(to size: TerminalSize) {
        self.size = size
        if place.kind == .level { scrollToSelection() } else { scroll(to: place.top) }
    }

    // MARK: Places

    /// Opens the selected row: its level, or the detail of a leaf.
    mutating func open() -> Request? {
        guard let row = place.selectedRow else { return nil }
        return open(Place(row.isLeaf ? .detail : .level, at: row.path))
    }

    mutating func open(_ new: Place) -> Request? {
        news = nil
        isTyping = false
        place.changed = []
        places.append(new)
        return .follow
    }

    /// Ends the search, or else shows the previous place, or else the level above. Does nothing at the root level.
    mutating func back() -> Request? {
        news = nil
        if place.search != nil {
            isTyping = false
            place.endSearch()
            return .follow
        }
        if places.count > 1 {
            places.removeLast()
        } else if let parent = place.path.parent {
            places = [Place(.level, at: parent)]
        } else if place.kind == .detail {
            places = [Place(.level, at: place.path)]
        } else {
            return nil
        }
        return .follow
    }

    // MARK: Search

    mutating func startTyping() -> Request? {
        guard place.kind == .level else { return nil }
        isTyping = true
        guard place.search == nil else { return nil }
        place.search(for: "")
        return .follow
    }

    mutating func searchText(_ change: (inout String) -> Void) -> Request? {
        var text = place.search ?? ""
        change(&text)
        guard text != place.search else { return nil }
        news = nil
        place.search(for: text)
        return .follow
    }

    // MARK: Moving

    /// Moves the selection by a number of rows. Scrolls a detail, or a level without rows, by this number of lines.
    mutating func move(by rows: Int) {
        news = nil
        place.changed = []
        guard place.kind == .level, !place.rows.isEmpty else { return scroll(to: place.top + rows) }
        place.select(place.selection + rows)
        scrollToSelection()
    }

    /// Scrolls as little as is needed to show the selected row.
    private mutating func scrollToSelection() {
        let layout = place.layout
        let line = layout.line(ofRow: place.selection)
        var top = place.top
        if line >= top + bodyLines { top = line - bodyLines + 1 }
        if layout.firstLine(above: place.selection) < top { top = layout.firstLine(above: place.selection) }
        scroll(to: bodyLines > 1 ? top : line)
    }

    private mutating func scroll(to line: Int) {
        let count = place.kind == .level ? place.layout.count : detailLines.count
        place.top = max(0, min(line, count - bodyLines))
    }
}

extension Browser {
    /// Changes the screen after a key.
    ///
    /// - Returns: the action that the session has to perform; nil if only the screen changes.
    mutating func press(_ key: Key) -> Request? {
        let request = request(for: key)
        // The trouble with one place may not concern the next place.
        if request == .follow { trouble = nil }
        return request
    }

    private mutating func request(for key: Key) -> Request? {
        if showsKeys {
            showsKeys = false
            if ![.control("c"), .control("z"), .text("q")].contains(key) { return nil }
        }
        switch key {
        case .control("c"): return .leave
        case .control("z"): return .suspend
        case .control("l"): return .redraw
        case .up, .control("p"): move(by: -1)
        case .down, .control("n"): move(by: 1)
        case .pageUp: move(by: -max(1, bodyLines - 1))
        case .pageDown: move(by: max(1, bodyLines - 1))
        case .escape: return back()
        default: return isTyping ? type(key) : command(key)
        }
        return nil
    }

    private mutating func type(_ key: Key) -> Request? {
        switch key {
        case .enter, .tab: isTyping = false
        case .right: return open()
        case .left: return back()
        case .backspace: return searchText { if !$0.isEmpty { $0.removeLast() } }
        case .control("u"): return searchText { $0 = "" }
        case .text(let scalar): return searchText { $0.unicodeScalars.append(scalar) }
        default: break
        }
        return nil
    }

    private mutating func command(_ key: Key) -> Request? {
        switch key {
        case .right, .enter, .text("l"): return open()
        case .left, .backspace, .text("h"): return back()
        case .home, .text("g"): move(by: -Int(Int32.max))
        case .end, .text("G"): move(by: Int(Int32.max))
        case .text("k"): move(by: -1)
        case .text("j"): move(by: 1)
        case .text(" "):
            guard let row = place.selectedRow else { return nil }
            return open(Place(.detail, at: row.path))
        case .text("/"): return startTyping()
        case .text("?"): showsKeys = true
        case .text("r"): return .follow
        case .text("q"): return .leave
        default: break
        }
        return nil
    }
}
