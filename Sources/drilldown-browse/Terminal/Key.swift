/// A key that was pressed at the terminal.
enum Key: Hashable, Sendable {
    case up, down, left, right
    case pageUp, pageDown, home, end
    case enter, escape, backspace, delete, tab
    /// A letter with the Control key, in lower case.
    case control(Unicode.Scalar)
    /// A character of text.
    case text(Unicode.Scalar)
}
