/// Short names for the variables, functions and classes of scripts that import each other.
///
/// A name gets a short one if some script declares it and none has a property of that name. Then it means a variable
/// wherever it stands, and another name that stands nowhere can take its place everywhere; which variable it means there
/// need not be known. It must not be a variable of the browser too, which scripts use without declaring it.
struct ShortNames {
    private var names: [String: String] = [:]
    /// The words of the scripts, and how often each stands there.
    private var uses: [String: Int] = [:]
    private var declared: Set<String> = []
    private var properties: Set<String> = []

    init(_ scripts: [[SourceToken]]) {
        for script in scripts { read(script) }
        var number = 0
        // In an order that does not depend on hashes: the same sources are always served as the same bytes.
        let candidates = declared.subtracting(properties).sorted { (uses[$1] ?? 0, $0) < (uses[$0] ?? 0, $1) }
        for name in candidates {
            var short: String
            repeat {
                short = Self.name(number: number)
                number += 1
            } while uses[short] != nil || Self.reserved.contains(short)
            if short.utf8.count < name.utf8.count { names[name] = short }
        }
    }

    /// The short name for a word, if it has one.
    subscript(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        names[String(decoding: word, as: UTF8.self)].map { ArraySlice($0.utf8) }
    }

    /// The short name of this number: one letter for the first 52, then two, and so on.
    static func name(number: Int) -> String {
        let letter = String(UnicodeScalar(letters[number % letters.count]))
        return number < letters.count ? letter : letter + name(number: number / letters.count - 1)
    }

    private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    /// The words of the language that are as short as short names.
    private static let reserved: Set = ["as", "do", "if", "in", "of"]

    // MARK: Reading

    /// What an open bracket contains.
    private enum Bracket {
        /// Members of a class.
        case members
        /// Names that are imported or exported, which are variables in both scripts.
        case imports
        /// Statements, or the properties of an object.
        case braces
        /// Expressions.
        case expressions
    }

    private mutating func read(_ script: [SourceToken]) {
        var brackets: [Bracket] = []
        var isBeforeClassBody = false
        for (index, token) in script.enumerated() {
            switch token.kind {
            case .word:
                let name = String(decoding: token.bytes, as: UTF8.self)
                uses[name, default: 0] += 1
                let isProperty = Self.isProperty(script, at: index, in: brackets.last)
                if isProperty { properties.insert(name) }
                if Self.isDeclaration(script, at: index) { declared.insert(name) }
                if token.isText("class"), !isProperty { isBeforeClassBody = true }
            case .mark where token.isText("{"):
                let isImport = index > 0 && script[index - 1].isOne(of: "import", "export")
                brackets.append(isBeforeClassBody ? .members : isImport ? .imports : .braces)
                isBeforeClassBody = false
            case .mark where token.isOne(of: "(", "["): brackets.append(.expressions)
            case .mark where token.isOne(of: ")", "]", "}"): _ = brackets.popLast()
            case .templatePart:
                if token.bytes.first == UInt8(ascii: "}") { _ = brackets.popLast() }
                if token.bytes.last == UInt8(ascii: "{") { brackets.append(.expressions) }
            default: break
            }
        }
    }

    /// Whether a word declares a variable. Not every declaration is told: a variable that is declared only otherwise keeps
    /// its name.
    private static func isDeclaration(_ script: [SourceToken], at index: Int) -> Bool {
        if index > 0, script[index - 1].isOne(of: "const", "let", "function", "class") { return true }
        // The parameter of a function: `name => …`.
        return index + 2 < script.count && script[index + 1].isText("=") && script[index + 2].isText(">")
    }

    /// Whether a word may be the name of a property. It is told of some words too that are not.
    private static func isProperty(_ script: [SourceToken], at index: Int, in bracket: Bracket?) -> Bool {
        guard index > 0 else { return false }
        let previous = script[index - 1]
        if previous.isText(".") {
            let isSpread = index > 1 && script[index - 2].isText(".")
            return !isSpread
        }
        let next = index + 1 < script.count ? script[index + 1] : nil
        switch bracket {
        case .members:
            let isFirst = script[index].separator == SourceTokenizer.lineEnd || previous.isOne(of: "{", "}", ";")
            return isFirst || previous.isOne(of: "static", "async", "get", "set", "*")
        case .braces:
            if previous.isOne(of: "{", ",") { return next?.isOne(of: ",", "}", ":", "=", "(") ?? false }
            return previous.isOne(of: "async", "get", "set", "*") && next?.isText("(") ?? false
        case .imports, .expressions, nil: return false
        }
    }
}
