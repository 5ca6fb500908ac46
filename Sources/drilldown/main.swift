import Glibc

/// Returns the environment variables of the process.
func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var next = unsafe environ
    while let entry = unsafe next.pointee {
        let parts = unsafe String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        unsafe next += 1
    }
    return variables
}

/// Runs the command of the command line.
///
/// - Returns: the exit status.
func run() throws(UsageError) -> Int32 {
    let arguments = try CommandLineArguments(
        arguments: Array(CommandLine.arguments.dropFirst()), program: CommandLine.arguments.first ?? "drilldown")
    if arguments.wantsVersion {
        print(Help.version)
        return 0
    }
    if arguments.wantsHelp {
        print(Help.text(for: arguments.command), terminator: "")
        return 0
    }
    // Without this, a write to a closed connection or log would end the process. Now the write fails with an error.
    _ = signal(SIGPIPE, SIG_IGN)
    switch arguments.command {
    case .serve, nil: return try ServeCommand.run(Settings(arguments: arguments, environment: environment()))
    case .check: return try CheckCommand.run(Settings(arguments: arguments, environment: environment()))
    case .import: return try ImportCommand.run(Settings(arguments: arguments, environment: environment()))
    case .export: return try ExportCommand.run(Settings(arguments: arguments, environment: environment()))
    case .browse: return try BrowseCommand.run(arguments)
    case .completions: print(try Completions.script(for: arguments.sources), terminator: "")
    case .manual: print(try ManualPage.text(for: arguments.sources), terminator: "")
    }
    return 0
}

do {
    exit(try run())
} catch {
    Log.put("drilldown: \(error)", severity: .error)
    exit(2)
}
