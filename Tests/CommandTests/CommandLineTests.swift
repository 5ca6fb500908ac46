import Testing

@testable import drilldown

@Suite("A command line")
struct CommandLineTests {
    private func sentence(_ line: String) -> String {
        do throws(UsageError) {
            _ = try CommandLineArguments(arguments: line.split(separator: " ").map(String.init))
            return "it was taken"
        } catch {
            return "\(error)"
        }
    }

    @Test("gives the command, its documents and its options")
    func parsed() throws {
        let arguments = try CommandLineArguments(arguments: [
            "check", "a.plist", "--shape", "any", "-", "--keys=title=name", "--", "--b.plist",
        ])
        #expect(arguments.command == .check)
        #expect(arguments.sources == ["a.plist", "-", "--b.plist"])
        #expect(arguments.values == ["Shape": "any", "Keys": "title=name"])
    }

    @Test("asks for help or the version, also behind a command")
    func informing() throws {
        #expect(try CommandLineArguments(arguments: ["--help"]).wantsHelp)
        #expect(try CommandLineArguments(arguments: ["check", "-h"]).wantsHelp)
        #expect(try CommandLineArguments(arguments: ["serve", "--version"]).wantsVersion)
        #expect(try CommandLineArguments(arguments: ["version"]).wantsVersion)
        #expect(try CommandLineArguments(arguments: ["help"]).wantsHelp)
        let help = try CommandLineArguments(arguments: ["help", "check"])
        #expect(help.wantsHelp && help.command == .check)
    }

    @Test(
        "that means a command of this program leads on to it",
        arguments: [
            ("Data.plist", "'Data.plist' is not a command", "serve Data.plist"),
            ("Data/Music", "'Data/Music' is not a command", "serve Data/Music"),
            ("http://u:p@h/a --listen h:1", "'http://h/a' is not a command", "serve http://h/a --listen h:1"),
            ("-", "'-' is not a command", "check -"),
            ("serv Data.plist", "'serv' is not a command", "serve Data.plist"),
            ("Check a.plist b.plist", "'Check' is not a command", "check a.plist b.plist"),
            ("completion bash", "'completion' is not a command", "completions bash"),
        ])
    func command(_ line: String, _ fact: String, _ meant: String) {
        #expect(
            sentence(line)
                == "\(fact); the commands are \(CommandLineArguments.Command.list). Did you mean: drilldown \(meant)")
    }

    @Test(
        "that means an option of this program leads on to it",
        arguments: [
            ("-V", "-V", "--version"),
            ("serve a.plist -version", "-version", "--version"),
            ("serve -help", "-help", "serve --help"), ("-?", "-?", "--help"), ("check -?", "-?", "check --help"),
            ("-help", "-help", "--help"), ("a.plist -help", "a.plist", "--help"),
            ("serve a.plist --port 9000", "--port", "serve a.plist --listen 127.0.0.1:9000"),
            ("serve a.plist -p 9000", "-p", "serve a.plist --listen 127.0.0.1:9000"),
            ("a.plist -p 9000", "a.plist", "serve a.plist --listen 127.0.0.1:9000"),
            ("-p 9000 a.plist", "-p", "serve --listen 127.0.0.1:9000 a.plist"),
            ("serve --port=9000 --host ::1 a.plist", "--port", "serve --listen '[::1]:9000' a.plist"),
            ("serve a.plist --host 0.0.0.0", "--host", "serve a.plist --listen 0.0.0.0:8080"),
            ("serve a.plist --prot 9000", "--prot", "serve a.plist --listen 127.0.0.1:9000"),
            ("serve a.plist -port 9000", "-port", "serve a.plist --listen 127.0.0.1:9000"),
            ("serve --hst=::1 a.plist --ports 9000", "--hst", "serve --listen '[::1]:9000' a.plist"),
            ("serve a.plist --hepl", "--hepl", "serve a.plist --help"),
            ("serve a.plist --bind 0.0.0.0:80", "--bind", "serve a.plist --listen 0.0.0.0:80"),
            ("serve a.plist --lisen=h:1 --acess-log", "--lisen", "serve a.plist --listen=h:1 --access-log"),
            ("serve a.plist -threads 2", "-threads", "serve a.plist --threads 2"),
            ("serve a.plist --cors x", "--cors", "serve a.plist --cors-origins x"),
            ("a.plist --cors=x", "a.plist", "serve a.plist --cors-origins=x"),
            ("serve a.plist --ORIGINS x", "--ORIGINS", "serve a.plist --cors-origins x"),
            ("serve a.plist --access", "--access", "serve a.plist --access-log"),
            ("serve a.plist --listen-address h:1", "--listen-address", "serve a.plist --listen h:1"),
            ("serve a.plist --cache-control-header x", "--cache-control-header", "serve a.plist --cache-control x"),
            ("browse http://h --folder a", "--folder", "browse http://h/ --cache-folder a"),
        ])
    func option(_ line: String, _ word: String, _ meant: String) {
        let fact =
            word.hasPrefix("-")
            ? "'\(word)' is not an option."
            : "'\(word)' is not a command; the commands are \(CommandLineArguments.Command.list)."
        #expect(sentence(line) == "\(fact) Did you mean: drilldown \(meant)")
    }

    @Test(
        "that nothing is near to says what there is",
        arguments: [
            ("", "no command is given; 'serve Data.plist' serves a document. '--help' lists the commands."),
            (
                "--listen h:1 a.plist",
                "no command is given; 'serve Data.plist' serves a document. Did you mean: drilldown serve --listen h:1 a.plist"
            ),
            (
                "frobnicate",
                "'frobnicate' is not a command; the commands are serve, check, import, export, browse, completions and manual."
            ),
            ("serve a.plist --frobnicate", "'--frobnicate' is not an option. '--help' lists the options."),
            ("serve a.plist --cors", "'--cors' is not an option. Did you mean '--cors-origins'?"),
            ("serve a.plist --tls a", "'--tls' is not an option. Did you mean '--tls-certificate' or '--tls-key'?"),
            (
                "serve a.plist --max 3",
                "'--max' is not an option. Did you mean '--max-items', '--max-document-bytes', '--max-memory' or '--max-body-bytes'?"
            ),
            ("check a.plist --cors x", "'--cors' is not an option. '--help' lists the options."),
            ("serve a.plist --bytes 3", "'--bytes' is not an option. '--help' lists the options."),
            ("serve a.plist --ca", "'--ca' is not an option. '--help' lists the options."),
            (
                "serve a.plist --password secret",
                "'--password' is not an option. Did you mean '--database-password-file'?"
            ),
            ("serve a.plist --edit secret", "'--edit' is not an option. Did you mean '--edit-token-file'?"),
            ("serve a.plist --port many", "'--port' is not an option. '--help' lists the options."),
            ("serve a.plist --port", "'--port' is not an option. '--help' lists the options."),
            ("serve a.plist --listen", "the option '--listen' needs a value: --listen HOST:PORT."),
            ("serve --shape any --shape any", "the option '--shape' appears more than once."),
            ("browse http://h --token-file a --token-file=b", "the option '--token-file' appears more than once."),
            (
                "check a.plist --listen h:1",
                "'--listen' is an option of serve, not of check; 'check --help' lists the options of check."
            ),
            (
                "browse http://h --listen h:1",
                "'--listen' is an option of serve, not of browse; 'browse --help' lists the options of browse."
            ),
            ("manual --listen h:1", "'--listen' is an option of serve; manual has no options."),
        ])
    func unknown(_ line: String, _ expected: String) { #expect(sentence(line) == expected) }

    @Test(
        "that serves several documents leads on to mounts",
        arguments: [
            "a.plist b.plist", "serv a.plist b.plist", "--listen h:1 a.plist b.plist", "a.plist b.plist --lisen h:1",
        ])
    func severalDocuments(_ line: String) {
        #expect(
            sentence(line)
                == "serve takes one document, not 2: a.plist, b.plist. To serve several under one root, name each by 'Source' in an item of one document: see Mounts in the manual."
        )
    }

    @Test("is suggested with the program's own name, quoted for a shell")
    func quoted() {
        #expect(
            throws: UsageError(
                fact:
                    "'My \"best\" Data.plist' is not a command; the commands are serve, check, import, export, browse, completions and manual.",
                hint:
                    "Did you mean: build/drilldown serve 'My \"best\" Data.plist' --values 'it'\\''s' --cache-control ''"
            )
        ) {
            try CommandLineArguments(
                arguments: ["My \"best\" Data.plist", "--values", "it's", "--cache-control", ""],
                program: "build/drilldown")
        }
    }
}
