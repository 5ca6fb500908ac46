import HTTPServer
import Levels
import LevelsAPI
import PropertyLists
import Testing
import TreeSources

@testable import TestSupport
@testable import drilldown

@Suite("Settings")
struct SettingsTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func settings(_ arguments: [String], _ environment: [String: String] = [:]) throws(UsageError) -> Settings {
        try Settings(arguments: CommandLineArguments(arguments: arguments), environment: environment)
    }

    private func sentence(_ arguments: [String], _ environment: [String: String] = [:]) -> String {
        do throws(UsageError) {
            let settings = try settings(arguments, environment)
            if arguments[0] == "serve" {
                _ = try settings.document { _ in }
            } else {
                _ = try settings.checkedDocuments()
            }
            return "they were taken"
        } catch {
            return "\(error)".replacing(scratch.path, with: "~")
        }
    }

    private func configuration(_ entries: String) throws -> String {
        try scratch.write("Conf.plist", "<plist><dict>\n\(entries)\n</dict></plist>")
    }

    @Test("of the environment count as unset if they are empty")
    func emptyVariables() throws {
        let empty = ["DRILLDOWN_LISTEN": "", "DRILLDOWN_CONFIG": "", "DRILLDOWN_LISEN": "", "DRILLDOWN_THREADS": ""]
        let settings = try settings(["serve", "a.plist"], empty)
        #expect(settings.listenTargets == [.address(ListenAddress(host: "127.0.0.1", port: 8080))])
        #expect(settings.origin(\.listenTargets) == .standard)
        #expect(
            sentence(["serve"], ["DRILLDOWN_SOURCE": ""])
                == "no document is given; name a property list: drilldown serve Data.plist.")
    }

    @Test(
        "of the environment may be those that Kubernetes sets for a service, and are refused if no option has the name")
    func variables() {
        for (name, value) in [
            ("DRILLDOWN_PORT", "tcp://10.0.0.1:80"), ("DRILLDOWN_PORT_8080_TCP_ADDR", "10.0.0.1"),
            ("DRILLDOWN_PORT_8080_TCP", "tcp://a"),
            ("DRILLDOWN_SERVICE_HOST", "10.0.0.1"), ("DRILLDOWN_SERVICE_PORT", "80"),
            ("DRILLDOWN_SERVICE_PORT_HTTP", "80"),
            ("drilldown_port", "80"), ("DRILLDOWN", "a"),
        ] { #expect(sentence(["serve", "a.plist"], [name: value]) == "they were taken", "\(name)") }
        for (name, meant) in [
            ("DRILLDOWN_PORT", "DRILLDOWN_LISTEN"), ("DRILLDOWN_HOST", "DRILLDOWN_LISTEN"),
            ("DRILLDOWN_BIND", "DRILLDOWN_LISTEN"),
            ("DRILLDOWN_ADDRESS", "DRILLDOWN_LISTEN"), ("DRILLDOWN_THREDS", "DRILLDOWN_THREADS"),
        ] {
            #expect(
                sentence(["serve", "a.plist"], [name: "8"])
                    == "\(name) is not a variable of drilldown. Did you mean \(meant)?")
        }
        for name in ["DRILLDOWN_PORT_HTTP_X_Y_Z", "DRILLDOWN_SERVICE_HOST_Z"] {
            #expect(sentence(["serve", "a.plist"], [name: "8"]).hasPrefix("\(name) is not a variable of drilldown."))
        }
    }

    @Test("come from the command line, then the environment, then the configuration")
    func order() throws {
        let path = try configuration(
            "<key>Threads</key><integer>3</integer><key>Refresh</key><integer>5</integer><key>AccessLog</key><true/>")
        let environment = [
            "DRILLDOWN_CONFIG": path, "DRILLDOWN_THREADS": "2", "DRILLDOWN_SOURCE": "a.plist", "DRILLDOWN_HOSTS": "a,b",
        ]
        let settings = try settings(["serve", "--listen", "h:1"], environment)
        #expect(settings.sources == ["a.plist"])
        #expect(settings.origin(\.listenTargets) == .option("listen"))
        #expect(settings.origin(\.server.threads) == .variable("DRILLDOWN_THREADS"))
        #expect(settings.server.threads == 2 && settings.logsAccess && settings.listedHosts == ["a", "b"])
        #expect(settings.origin(\.refreshInterval) == .file("\(path):2:39"))
    }

    @Test("of a configuration that the command line names come before one that the environment names")
    func twoConfigurations() throws {
        let named = try configuration("<key>Threads</key><integer>3</integer>")
        let environment = ["DRILLDOWN_CONFIG": try scratch.write("Other.plist", "<plist><dict/></plist>")]
        let settings = try settings(["serve", "a.plist", "--config", named], environment)
        #expect(settings.server.threads == 3)
        #expect(settings.configuration == named)
        let missing = ["DRILLDOWN_CONFIG": scratch("missing.plist")]
        #expect(sentence(["serve", "a.plist", "--config", named], missing) == "they were taken")
        #expect(sentence(["serve", "a.plist"], missing).hasPrefix("configuration (DRILLDOWN_CONFIG): "))
        #expect(
            sentence(["serve", "a.plist", "--config", scratch("missing.plist")]).hasPrefix("configuration (--config): ")
        )
    }

    @Test(
        "from a configuration count relative paths from its folder",
        arguments: [
            ("../Data/Data.plist", "sub/../Data/Data.plist"), ("/Data.plist", "/Data.plist"),
            ("https://example.org/a", "https://example.org/a"), ("sqlite:Music.db", "sqlite:sub/Music.db"),
            ("sqlite:/Music.db", "sqlite:/Music.db"),
        ])
    func relative(_ source: String, _ located: String) throws {
        try scratch.folder("sub")
        let path = try scratch.write(
            "sub/Conf.plist", "<plist><dict><key>Source</key><string>\(source)</string></dict></plist>")
        let expected = located.replacing("sub/", with: scratch("sub/"))
        #expect(try settings(["serve", "--config", path]).sources == [expected])
        #expect(try settings(["serve", "--config", path, "b.plist"]).sources == ["b.plist"])
    }

    @Test("name the values of a settings page, which a URL has not")
    func values() throws {
        try scratch.folder("sub")
        let path = try scratch.write(
            "sub/Conf.plist", "<plist><dict><key>Values</key><string>v.plist</string></dict></plist>")
        #expect(try settings(["serve", "a", "--config", path]).valuesPath == scratch("sub/v.plist"))
        #expect(
            sentence(["serve", "http://u:p@h/a", "--values", "v.plist"])
                == "--values: only a settings page in a file has stored values, but 'http://h/a' is a URL.")
        #expect(sentence(["serve", "a.plist", "--values", "v.plist"]) == "they were taken")
    }

    @Test("find the assets beside a document, in a folder that is one, and nowhere for a URL")
    func assets() throws {
        try scratch.folder("Settings.bundle")
        for (source, folder) in [
            ("Data.plist", "assets"), ("Data/Data.plist", "Data/assets"), ("/Data.plist", "/assets"),
            (scratch("Settings.bundle"), scratch("Settings.bundle/assets")), ("https://example.org/a", nil),
        ] as [(String, String?)] {
            #expect(try settings(["serve", source]).assetsFolder == folder)
        }
    }

    @Test("from a configuration that is wrong are refused with its name and the line")
    func wrongConfiguration() throws {
        for (entries, reason) in [
            ("<key>Lissen</key><string>h:1</string>", "2:1: 'Lissen' is not an option. Did you mean 'Listen'?"),
            (
                "<key>Frob</key><string>h:1</string>",
                "2:1: 'Frob' is not an option; 'drilldown serve --help' lists the options."
            ),
            (
                "<key>Config</key><string>a</string>",
                "2:1: 'Config' is not an option; 'drilldown serve --help' lists the options."
            ),
            (
                "<key>Rows</key><array/>",
                "2:1: 'Rows' is a key of a document, not of a configuration; name a document without --config."
            ),
            (
                "<key>Listen</key><string>h:1</string>\n<key>Listen</key><string>h:2</string>",
                "3:1: the key 'Listen' appears more than once, first at 2:1; keep one of them."
            ),
            (
                "<key>Threads</key><array/>",
                "2:1: the value of 'Threads' must be a text, a whole number, or true or false."
            ),
            (
                "<key>Threads</key><dict/>",
                "2:1: the value of 'Threads' must be a text, a whole number, or true or false."
            ),
            (
                "<key>Listen</key><array><array/></array>",
                "2:1: the value of 'Listen' must be a text, a whole number, or true or false."
            ),
            (
                "<key>Threads</key><real>1</real>",
                "2:1: the value of 'Threads' must be a text, a whole number, or true or false."
            ),
        ] {
            let path = try configuration(entries)
            #expect(sentence(["serve", "a", "--config", path]) == "configuration (--config): ~/Conf.plist:\(reason)")
        }
        let list = try scratch.write("List.plist", "<plist><array/></plist>")
        #expect(
            sentence(["check", "a"], ["DRILLDOWN_CONFIG": list])
                == "configuration (DRILLDOWN_CONFIG): ~/List.plist:1:8: a configuration is a dictionary whose keys are options, as in Config/drilldown.plist."
        )
        for value in [
            "<integer>5</integer>", "<string>a</string>", "<true/>", "<data>AAAA</data>", "<date>2001Z</date>",
        ] {
            let path = try scratch.write("Value.plist", "<plist>\(value)</plist>")
            let reason = "a configuration is a dictionary whose keys are options, as in Config/drilldown.plist."
            let said = sentence(["check", "a", "--config", path])
            #expect(
                said.hasPrefix("configuration (--config): ~/Value.plist:1:") && said.hasSuffix(": \(reason)"), "\(said)"
            )
        }
        #expect(
            sentence(["serve", "a", "--config", scratch("Cnof.plist")])
                == "configuration (--config): ~/Cnof.plist: the file does not exist in the folder ~. Did you mean 'Conf.plist'?"
        )
    }

    @Test("that are a base path have no segment with the name of an endpoint")
    func basePath() throws {
        #expect(try settings(["serve", "a", "--base-path", "/music/v1.2/"]).api.basePath == "/music/v1.2")
        for text in ["music", "//", "/a b", "/.a", "/levels", "/a/detail"] {
            #expect(
                sentence(["serve", "a", "--base-path", text]) == """
                    --base-path: '\(text)' is not a path such as /music, of letters, digits and the marks -._~, \
                    without the service's own names such as levels.
                    """)
        }
    }

    @Test("that are the value of a header field are printable ASCII")
    func fieldValue() throws {
        for text in ["\u{1F}", "\u{7F}", "é"] {
            #expect(
                sentence(["serve", "a", "--cache-control", text]).hasSuffix("' is not a header field's value."),
                "\(text)")
        }
        #expect(sentence(["serve", "a", "--cache-control", " max-age=5~"]) == "they were taken")
    }

    @Test func `each number has a property of its own`() throws {
        let names = [
            "threads", "connections", "connections-per-address", "waiters", "max-items", "drain", "idle-timeout",
            "request-deadline", "poll-interval", "refresh", "fetch-timeout", "first-patience", "cache-bytes",
            "response-bytes", "search-bytes", "history-bytes", "max-document-bytes", "max-memory", "max-body-bytes",
        ]
        let words = names.enumerated().flatMap { ["--\($1)", "\($0 < 12 ? $0 : $0 + 100_000_000)"] }
        let settings = try settings(["serve", "a"] + words)
        let (server, api, reading) = (settings.server, settings.api, settings.interpretation)
        let counts = [server.threads, server.connectionLimit, server.connectionLimitPerAddress, api.waiters]
        #expect(counts + [reading.treeLimits.items] == Array(0..<5))
        let times = [settings.drain, server.idleTimeout, server.requestDeadline, settings.pollInterval]
        let patience = [settings.refreshInterval, settings.fetchTimeout, settings.firstPatience]
        #expect(times + patience == (5..<12).map { Duration.seconds($0) })
        let sizes = [api.cacheBytes, api.responseBudget.limit, api.searchBytes, settings.historyBytes]
        let limits = [reading.maximumBytes, settings.memoryLimit ?? 0, server.bodyLimit]
        #expect(sizes + limits == Array(100_000_012..<100_000_019))
    }

    @Test("with a wrong value name the place of the key")
    func wrongValue() throws {
        let path = try configuration("<key>Threads</key><string>many</string>")
        #expect(
            sentence(["serve", "a", "--config", path])
                == "~/Conf.plist:2:1: Threads: 'many' is not a whole number from 0 to 1024.")
    }

    @Test(
        "refuse documents that cannot be had",
        arguments: [
            (
                "serve", ["-"],
                "serve reads its document again when it changes, but standard input (-) can be read only once. Save it as a file, or use 'check -'."
            ),
            (
                "serve", ["a", "http://u:p@h/b"],
                "serve takes one document, not 2: a, http://h/b. To serve several under one root, name each by 'Source' in an item of one document: see Mounts in the manual."
            ),
            ("check", ["a", ""], "no document is given; name a property list: drilldown check Data.plist."),
            ("check", ["file://server/a.plist"], "'file://server/a.plist': name a file by its path, without 'file:'."),
            ("check", ["-", "-"], "standard input (-) can be read only once; name it once."),
            (
                "serve", ["ftp://u:p@h/a.plist"],
                "'ftp://h/a.plist': a document must be a file, an http or https URL, sqlite:FILE or a postgres URL; ftp is not supported."
            ),
            ("check", ["a", "file:///a/b.plist"], "'file:///a/b.plist': name a file by its path: /a/b.plist."),
            (
                "check", ["file://localhost/a/b.plist"],
                "'file://localhost/a/b.plist': name a file by its path: /a/b.plist."
            ),
            (
                "check", ["file:///a%20b.plist"],
                "'file:///a%20b.plist': name a file by its path, without 'file:'."
            ),
        ])
    func sources(_ command: String, _ sources: [String], _ expected: String) {
        #expect(sentence([command] + sources) == expected)
    }

    @Test(
        arguments: [
            (["a.plist", "--cache", "b"], "--cache: only the document of a URL is copied, but 'a.plist' is a file."),
            (
                ["http://h/a", "--database-password-file", "b"],
                "--database-password-file: only a PostgreSQL server takes a password, but 'http://h/a' is a URL."
            ),
            (["a", "--shape", "tables"], "--shape: 'tables' applies only to a database, but 'a' is a file."),
            (
                ["postgres://h/d", "--title-by", "Name"],
                "--title-by: 'Name' is not a list of tables with their columns, such as Customer=FirstName,LastName,Invoice=InvoiceDate."
            ),
            (
                ["a.plist", "--shape", "natural", "--keys", "children=rows,sections=parts"],
                "--keys: the role 'sections' is that of a document of items; with the shape natural, only title, key and children can be named."
            ),
            (["a.plist", "--drill-by", "A,,B"], "--drill-by: 'A,,B' is not names of fields, separated by commas."),
            (["a.plist", "--databases", "h,/run/postgresql"], "they were taken"),
        ])
    func `an option is refused where it cannot apply`(_ words: [String], _ expected: String) {
        #expect(sentence(["serve"] + words) == expected)
    }

    @Test("of import and export accept the values that the options of serve accept")
    func ofImportAndExport() throws {
        let pair = ["a.plist", "b"]
        for (value, replaces) in [
            ("=yes", true), ("=1", true), ("=TRUE", true), ("", true), ("=no", false), ("=0", false), ("=false", false),
        ] {
            #expect(try settings(["import"] + pair + ["--replace\(value)"]).replaces == replaces)
        }
        #expect(try !settings(["import"] + pair).replaces)
        #expect(sentence(["import"] + pair + ["--replace=nonsense"]) == "--replace: 'nonsense' is not true or false.")
        #expect(try settings(["export"] + pair).exportSyntax == nil)
        #expect(try settings(["export"] + pair + ["--format", "json"]).exportSyntax == .json)
        #expect(sentence(["export"] + pair + ["--format=xm"]) == "--format: 'xm' is not one of xml, binary, json.")
    }

    @Test("tell the tables of a database from a tree in it by the address")
    func databases() throws {
        let settings = try settings(["import", "a.plist", "postgres://h/d"])
        #expect(
            throws: UsageError(
                fact: "'postgres://h/d': the address names no tree; add ?tree=NAME, the name of its schema.")
        ) { try settings.target("postgres://h/d") }
        #expect(
            throws: UsageError(
                fact:
                    "'a.plist' is not a database; name one as sqlite:FILE, or as postgres://HOST/DATABASE?tree=NAME."
            )
        ) { try settings.target("a.plist") }
        #expect(throws: Never.self) { try settings.target("postgres://h/d?tree=t") }
    }

    @Test("that name columns are a list of tables with a column each")
    func columns() {
        for text in ["Employee=ReportsTo", "Employee=ReportsTo,Part=of=it"] {
            #expect(sentence(["serve", "a", "--tree-by", text]) == "they were taken", "\(text)")
        }
        for text in ["Employee", "=ReportsTo", "Employee=", "A=b,A=c"] {
            #expect(
                sentence(["serve", "a", "--tree-by", text])
                    == "--tree-by: '\(text)' is not a list of tables with a column each, such as Employee=ReportsTo.")
        }
    }

    @Test("of a file let it name databases")
    func databaseInDocument() throws {
        let path = try scratch.write("a.json", #"{"Rows":[{"Title":"t","Database":"sqlite:None.db"}]}"#)
        let loaded = try settings(["check", path]).checkedDocuments()[0].load(replacing: nil)
        #expect(loaded.warnings.map { "\($0)".contains("the file does not exist; name a file") } == [true])
    }

    @Test("of check leave out unused ones")
    func ofCheck() throws {
        let settings = try settings(
            ["check", "a.plist", "http://h/b", "-"], ["DRILLDOWN_CACHE": "copy.plist", "DRILLDOWN_LISTEN": "nowhere"])
        #expect(settings.copyPath == nil)
        #expect(try settings.checkedDocuments().map(\.name) == ["a.plist", "http://h/b", "<stdin>"])
    }
}
