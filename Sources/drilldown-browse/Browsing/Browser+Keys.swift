import DrilldownClient

extension Browser {
    /// Does what a key is for.
    ///
    /// - Returns: What is left to do; nil if it is only to be shown.
    mutating func press(_ key: Key) -> Request? {
        let request = request(for: key)
        // What was wrong at one place says nothing about the next; news about it tell.
        if request == .follow { trouble = nil }
        return request
    }

    private mutating func request(for key: Key) -> Request? {
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
        case .enter, .tab: endTyping()
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
        case .text("r"): return .follow
        case .text("q"): return .leave
        default: break
        }
        return nil
    }
}
