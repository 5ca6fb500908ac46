import Files
import Glibc

/// `drilldown browse`: executes the program `drilldown-browse`, which is a client and links a client's libraries.
enum BrowseCommand {
    /// The name of the program, which is beside this program or in a folder of `PATH`.
    static let program = "drilldown-browse"

    /// Replaces this process with the program. Returns only if that fails.
    ///
    /// - Returns: the exit status for the failure.
    /// - Throws: `UsageError` unless the only argument is a URL, and for a wrong value of a flag.
    static func run(_ arguments: CommandLineArguments) throws(UsageError) -> Int32 {
        let words = try programArguments(of: arguments)
        // A signal that is ignored here would stay ignored in the executed program.
        _ = signal(SIGPIPE, SIG_DFL)
        if let beside = pathBesideThis { unsafe execute(beside, words: words, execv) }
        unsafe execute(program, words: words, execvp)
        let reason = unsafe String(cString: strerror(errno))
        let place = pathBesideThis.map { " as '\($0)'" } ?? ""
        Log.put(
            "drilldown: browse needs the program \(program), which cannot be executed\(place) or from PATH: \(reason). "
                + "The package \(program) has it.", severity: .error)
        return 1
    }

    /// Returns the command line of the program, without the program's name.
    static func programArguments(of arguments: CommandLineArguments) throws(UsageError) -> [String] {
        guard let url = arguments.sources.first, arguments.sources.count == 1 else {
            let given = arguments.sources.count
            throw UsageError(
                fact: given == 0 ? "browse needs the URL of a server." : "browse takes one URL, not \(given).",
                hint: "For example: drilldown browse http://127.0.0.1:8080")
        }
        var words: [String] = []
        for option in Option.ofBrowse {
            guard let value = arguments.values[option.key] else { continue }
            if option.placeholder != nil {
                words += ["--\(option.name)", value]
            } else if try isSet(option, by: value) {
                words.append("--\(option.name)")
            }
        }
        return words + ["--", url]
    }

    private static func isSet(_ flag: Option, by value: String) throws(UsageError) -> Bool {
        do throws(WrongValue) {
            return try OptionType.flag.read(value)
        } catch {
            throw UsageError(fact: "--\(flag.name): \(error.reason)")
        }
    }

    /// The path of the program in this program's folder; nil if the kernel does not report the folder.
    private static var pathBesideThis: String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        let path = String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.prefix(upTo: path.lastSlash ?? path.startIndex) + "/" + program
    }

    /// Replaces this process with a program. Returns only if the program cannot be executed.
    private static func execute(
        _ path: String, words: [String],
        _ call: (UnsafePointer<CChar>, UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) {
        var pointers = unsafe ([program] + words).map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        _ = unsafe path.withCString { unsafe call($0, &pointers) }
    }
}
