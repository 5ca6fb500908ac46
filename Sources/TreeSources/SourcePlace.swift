internal import PropertyLists

/// The prefix of a sentence, in the form in which editors recognize a position.
struct SourcePlace {
    let file: String
    let position: SourcePosition?
    let path: String?

    func line(_ sentence: String) -> String {
        let place =
            switch position {
            case .text(let line, let column): "\(path: file):\(line):\(column): "
            case .byte(let offset): "\(path: file): byte \(offset): "
            case nil: "\(path: file): "
            }
        return place + (path.map { "in \($0): " } ?? "") + sentence + (sentence.hasSuffix("?") ? "" : ".")
    }
}
