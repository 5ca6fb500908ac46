import Testing

@testable import drilldown

@Suite("Completions")
struct CompletionsTests {
    private func sentence(_ arguments: [String]) -> String {
        do throws(UsageError) {
            _ = try Completions.script(for: arguments)
            return "it was taken"
        } catch {
            return "\(error)"
        }
    }

    @Test("are made for one of three shells")
    func shells() throws {
        #expect(try Completions.script(for: ["bash"]) == Completions.bash)
        #expect(try Completions.script(for: ["zsh"]) == Completions.zsh)
        #expect(try Completions.script(for: ["fish"]) == Completions.fish)
        #expect(sentence([]) == "no shell is given; name one: drilldown completions bash.")
        #expect(sentence(["tcsh"]) == "there are no completions for 'tcsh', only for bash, zsh or fish.")
        #expect(sentence(["bash", "zsh"]) == "completions takes one shell, not 2: bash, zsh.")
    }

    @Test(
        "know from the type of an option what a value is",
        arguments: [
            ("access-log", .none), ("config", .file), ("cache-folder", .folder),
            ("log-format", .choices(["text", "json"])),
            ("listen", .text), ("keys", .text), ("cors-origins", .text), ("threads", .text),
        ] as [(String, OptionCompletion)])
    func completions(_ name: String, _ completion: OptionCompletion) throws {
        let option = try #require(Option.ofAllCommands.first { $0.name == name })
        #expect(option.completion == completion)
    }

    @Test("for bash name every option of a command once, and complete every value")
    func bash() throws {
        let lines = Completions.bash.split(separator: "\n").map { $0.drop { $0 == " " } }
        for command in CommandLineArguments.Command.allCases {
            let names = (Option.all(of: command).map(\.name) + ["help", "version"]).map { "--\($0)" }
            #expect(lines.contains("\(command.rawValue)) words='\(names.joined(separator: " "))' ;;"))
            let values = lines.filter { $0.hasPrefix("\(command.rawValue):--") }.map {
                $0.prefix { $0 != ")" }.split(separator: " | ").map(String.init)
            }
            let takers = Option.all(of: command).filter { $0.placeholder != nil }
            #expect(values.joined().sorted() == takers.map { "\(command.rawValue):--\($0.name)" }.sorted())
        }
        #expect(lines.contains("serve:--shape) words='auto items natural any tables' ;;"))
    }

    @Test("for zsh specify every option of a command once, with its explanation and value")
    func zsh() throws {
        let blocks = Completions.zsh.split(separator: ";;")
        for (block, command) in zip(blocks, CommandLineArguments.Command.allCases) {
            #expect(block.contains("        \(command.rawValue))\n            _arguments -S \\\n"))
            let lines = block.split(separator: "\n").map { $0.drop { $0 == " " } }
            for option in Option.all(of: command) {
                let start = "'--\(option.name)\(option.placeholder == nil ? "" : "=")["
                #expect(lines.count { $0.hasPrefix(start) } == 1, "\(command) \(option.name)")
            }
            let common = [
                "'(- *)'{-h,--help}'[explains the command and its options]' \\",
                "'(- *)'--version'[prints the version]'",
            ]
            #expect(lines.contains(Substring(common[0])))
            let others = lines.filter { $0.hasPrefix("'1:") || $0.hasPrefix("'2:") || $0.hasPrefix("'*:") }
            let arguments = others.map { $0.split(separator: "'")[0] }.filter { !$0.hasSuffix("_command") }
            #expect(arguments == Self.otherArguments[command])
        }
        #expect(
            Completions.zsh.contains(
                #"'--listen=[where to listen, or unix:PATH; may be repeated]:HOST\:PORT: ' \"#)
        )
        #expect(
            Completions.zsh.contains(
                #"'--shape=[items; natural: as it is; auto: one of these; any; tables]:SHAPE:(auto items natural any tables)' \"#
            ))
        #expect(Completions.zsh.contains("'--access-log[logs each request]' \\"))
    }

    /// What zsh completes after the options of each command.
    private static let otherArguments: [CommandLineArguments.Command: [Substring]] = [
        .serve: ["1:document:_drilldown_document"], .check: ["*:document:_drilldown_document"],
        .import: ["1:document:_drilldown_document", "2:target:_files"],
        .export: ["1:document:_drilldown_document", "2:target:_files"], .browse: ["1:URL:_urls"],
        .completions: ["1:shell:(bash zsh fish)"], .manual: [],
    ]

    @Test("for fish have a line for every option, with the commands that take it")
    func fish() {
        let lines = Completions.fish.split(separator: "\n")
        for option in Option.all {
            let takers = option.isOfCheck ? "serve check import export" : "serve"
            let start = "complete -c drilldown -n '__fish_seen_subcommand_from \(takers)' -l \(option.name) -"
            #expect(lines.count { $0.hasPrefix(start) } == 1, "\(option.name)")
        }
        for (command, options) in [
            ("browse", Option.ofBrowse), ("import", Option.ofImport), ("export", Option.ofExport),
        ] {
            for option in options {
                let start = "complete -c drilldown -n '__fish_seen_subcommand_from \(command)' -l \(option.name) -"
                #expect(lines.count { $0.hasPrefix(start) } == 1, "\(option.name)")
            }
        }
        #expect(
            lines.contains(
                "complete -c drilldown -n '__fish_seen_subcommand_from serve' -l log-format -x -a 'text json' -d 'the format of log lines'"
            ))
    }
}
