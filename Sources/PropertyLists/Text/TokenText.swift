/// The storage of a token's text.
enum TokenText {
    /// The text is in the window, at offsets from the cursor. `passing` is the length of the whole token.
    case direct(Range<Int>, passing: Int)
    /// The text is in `TextWindow.assembled`. The cursor is already past the token.
    case assembled
}
