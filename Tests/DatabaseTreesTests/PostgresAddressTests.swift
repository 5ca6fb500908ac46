import TestSources
import Testing
import TreeSources

@testable import DatabaseTrees
@testable import TestSupport

@Suite struct PostgresAddressTests {
    @Test func takesOutWhatIsOurs() throws {
        let text = "postgres://alice@db.example:5433/home?tree=m%C3%BCsic&sslmode=require&read=standby"
        let address = try PostgresAddress(text)
        #expect(address.tree == "müsic" && address.readsStandby && address.shown == text)
        let parameters = Dictionary(
            uniqueKeysWithValues: address.parameters(for: .reading, password: "secret").map { ($0.name, $0.value) })
        #expect(parameters["host"] == "db.example" && parameters["port"] == "5433" && parameters["user"] == "alice")
        #expect(parameters["dbname"] == "home" && parameters["sslmode"] == "require")
        #expect(parameters["password"] == "secret" && parameters["target_session_attrs"] == "prefer-standby")
        #expect(parameters["application_name"] == "drilldown" && parameters["client_encoding"] == "UTF8")
        #expect(parameters["tree"] == nil && parameters["read"] == nil)
    }

    @Test func preferOwnParameters() throws {
        let address = try PostgresAddress(
            "postgresql://one,two/home?tree=a&connect_timeout=2&application_name=x&client_encoding=LATIN1")
        let parameters = Dictionary(
            uniqueKeysWithValues: address.parameters(for: .everything, password: nil).map { ($0.name, $0.value) })
        #expect(parameters["connect_timeout"] == "2" && parameters["application_name"] == "x")
        #expect(parameters["target_session_attrs"] == "read-write" && parameters["password"] == nil)
        // Texts are exchanged in UTF-8 in any case.
        #expect(parameters["client_encoding"] == "UTF8")
    }

    @Test(arguments: [
        ("postgres://h/d", "postgres://h/d: the address names no tree; add ?tree=NAME, the name of its schema."),
        (
            "postgres://u@h/d?tree=a&tree=b", "postgres://h/d: the parameter 'tree' appears more than once."
        ),
        (
            "postgres://h/d?tree=a&read=primary",
            "postgres://h/d?tree=a&read=primary: 'read' must be 'standby', or absent."
        ),
        ("postgres://h/d?tree=%zz", "postgres://h/d: the value of 'tree' is missing, or is not percent-encoded UTF-8."),
        (
            "postgres://h/d?tree=a&colour=red",
            "postgres://h/d: the parameter 'colour' is not one of tree, read, and those of PostgreSQL's client library."
        ),
        (
            "postgres:h/d?tree=a",
            "postgres:h/d: it is not a valid address; write postgres://USER@HOST/DATABASE?tree=NAME."
        ),
    ])
    func refuses(text: String, sentence: String) {
        #expect(throws: SourceError.self) { try PostgresAddress(text) }
        do {
            _ = try PostgresAddress(text)
        } catch {
            #expect(error.description == sentence)
        }
    }

    @Test func limitsTheNameOfATreeToWhatPostgreSQLKeeps() throws {
        func tree(_ name: String) throws -> String { try PostgresAddress("postgres://h/d?tree=\(name)").tree }
        let longest = String(repeating: "a", count: 61) + "%C3%A9"
        #expect(try tree(longest).utf8.count == 63)
        for name in [longest + "a", "a%00"] {
            let error = try #require(throws: SourceError.self) { try tree(name) }
            #expect(error.reason == "the name of a tree is at most 63 bytes long; shorten it")
        }
    }

    @Test(arguments: [
        "postgres://u:secret77@h/d?tree=a", "postgres://u@h/d?tree=a&password=secret77",
        "postgres://h/d?tree=a&sslpassword=secret77",
        "postgres://u:secret77@h/d", "postgres://u:sec@ret77@h/d?tree=a&x=secret77", "postgres://u:ret77?@ret77@h/d",
    ])
    func neverShowsAPassword(text: String) throws {
        let error = try #require(throws: SourceError.self) { try PostgresAddress(text) }
        #expect(!error.description.contains("ret77"))
        if !text.contains("@ret77") {
            #expect(error.description.contains("password") && error.name == "postgres://h/d")
        }
        let other = try #require(throws: SourceError.self) { try PostgresAddress(ofTables: text) }
        #expect(!other.description.contains("ret77"))
    }

    @Test func namesADatabaseWithoutATree() throws {
        let address = try PostgresAddress(ofTables: "postgres://alice@one,two:5433/home?sslmode=require")
        #expect((address.database, address.hosts) == ("home", ["one", "two"]))
        #expect(address.unusual(besides: ["host", "port", "user", "dbname"]) == "sslmode")
        #expect(address.unusual(besides: ["host", "port", "user", "dbname", "sslmode"]) == nil)
        #expect(try PostgresAddress(ofTables: "postgres://alice@/").database == "alice")
        #expect(try PostgresAddress(ofTables: "postgres:///home").hosts == [])
        #expect(try PostgresAddress(ofTables: "postgres://one/home?hostaddr=10.0.0.1").hosts == ["one", "10.0.0.1"])
        // An empty name stands for a socket on this machine.
        #expect(try PostgresAddress(ofTables: "postgres:///home?host=one,").hosts == ["one", ""])
        #expect(PostgresAddress.namesTree("postgres://h/d?sslmode=require&tree=a"))
        #expect(!PostgresAddress.namesTree("postgres://h/tree=a?read=standby"))
        let error = try #require(throws: SourceError.self) { try PostgresAddress(ofTables: "postgres://h/d?tree=a") }
        #expect(
            error.description
                == "postgres://h/d: 'tree' names a tree; leave it out for the tables of the database.")
    }

    @Test(arguments: [
        (
            """
            connection to server at "127.0.0.1", port 1 failed: Connection refused
            \tIs the server running on that host and accepting TCP/IP connections?

            """, "cannot connect: Connection refused; is the server running?"
        ),
        (
            """
            connection to server at "10.0.0.1", port 5432 failed: FATAL:  password authentication failed for user "a"
            password retrieved from file "/home/a/.pgpass"

            """,
            #"cannot connect: password authentication failed for user "a"; correct the password in the file that --database-password-file or PGPASSFILE names, or in ~/.pgpass"#
        ),
        (
            "could not translate host name \"x.invalid\" to address: Name or service not known\n",
            #"cannot connect: could not translate host name "x.invalid" to address: Name or service not known"#
        ),
        (
            """
            connection to server at "a" (10.0.0.1), port 5432 failed: Connection refused
            connection to server at "b" (10.0.0.2), port 5432 failed: Connection refused
            connection to server at "c" (10.0.0.3), port 5432 failed: FATAL:  no pg_hba.conf entry for host "10.0.0.9"

            """,
            #"cannot connect: Connection refused; no pg_hba.conf entry for host "10.0.0.9"; allow the connection in that file of the server"#
        ),
        ("", "cannot connect: libpq gave no reason"),
    ])
    func saysWhyThereIsNoConnection(words: String, sentence: String) {
        #expect(PostgresFailure(connecting: words, needsPassword: false).message == sentence)
        let needy = PostgresFailure(connecting: words, needsPassword: true)
        #expect(needy.message.hasPrefix("the server asks for a password; put it into the file that PGPASSFILE "))
    }

    @Test(arguments: [
        (
            "42P01", #"relation "m.head" does not exist"#, DatabaseError.Kind.other,
            "the database has no tree named 'm'; create it with import, or name another in tree="
        ),
        ("3F000", "x", .other, "the database has no tree named 'm'; create it with import, or name another in tree="),
        (
            "42P01", #"relation "m.items" does not exist"#, .other,
            #"relation "m.items" does not exist; restore the tree from a backup"#
        ),
        ("42501", "permission denied", .readOnly, "permission denied; grant this role the missing permission"),
        (
            "25006", "x", .readOnly,
            "the database is a standby or read-only, and takes no edits; name the primary server"
        ),
        ("53300", "too many clients", .away, "too many clients"), ("08006", "x", .away, "x"),
        ("55P03", "x", .busy, "another program holds a lock in the database"),
        ("57014", "x", .busy, "another program holds a lock in the database"),
        ("40P01", "x", .busy, "another program holds a lock in the database"),
        ("40001", "x", .busy, "another program holds a lock in the database"),
        ("53100", "x", .noSpace, "the disk of the database is full"), ("22P02", "x", .other, "x"),
    ])
    func saysWhyAStatementFails(state: String, message: String, kind: DatabaseError.Kind, reason: String) {
        var failure = PostgresFailure(state: state, message: message, constraint: nil, isLost: false)
        #expect(failure.databaseError(of: "m") == DatabaseError(kind: kind, reason: reason))
        // Errors in the data may come from a constraint or a trigger; others come from the state of the database.
        #expect(failure.isRefusal == ["42P01", "3F000", "22P02"].contains(state))
        failure.isLost = true
        #expect(!failure.isRefusal)
        #expect(
            (failure.databaseError(of: "m").kind == .away) == !["42P01", "3F000", "42501", "25006"].contains(state))
    }

    @Test func connectsAnewOnlyAfterALoss() throws {
        let tree = try PostgresServer.shared.get().makeTree("connected", ["a"])
        for _ in 0..<3 { _ = try tree.head() }
        #expect(tree.connections == (1, 1))
        tree.reader.close()
        #expect(tree.connections == (0, 1) && tree.reader.nextAttempt == nil)
        _ = try tree.head()
        #expect(tree.connections == (1, 2))
        let away = PostgresLink(parameters: [("host", "/nowhere"), ("user", "a"), ("dbname", "a")], listens: false)
        let begun = ContinuousClock.now
        // The second attempt fails at once, because it comes during the pause.
        for _ in 0..<2 { #expect(throws: PostgresFailure.self) { _ = try away.open() } }
        #expect(try #require(away.nextAttempt) >= begun + PostgresLink.shortestPause && away.made == 0)
    }

    @Test func aPasswordIsTheFirstLineOfItsFile() throws {
        let scratch = try ScratchFolder()
        try scratch.write("password", "first\nsecond")
        #expect(try PasswordFile.read(scratch("password")) == "first")
        try scratch.write("password", "\nsecond")
        let error = #expect(throws: SourceError.self) { _ = try PasswordFile.read(scratch("password")) }
        #expect(error?.reason == "it is empty; its first line is the password")
    }

    @Test func findsTextThatCannotBeStored() {
        func field(_ json: String) -> UnstorableText? { UnstorableText.find(in: Array(json.utf8).span) }
        #expect(field(#"{"a":"\\u0000","b":["\\\\u0000",{"c":1}]}"#) == nil)
        #expect(field(#""a\u0000""#) == UnstorableText(field: nil))
        #expect(field(#"{"a":1,"b":{"c":["x","\u0000"]},"d":"e"}"#) == UnstorableText(field: "b"))
        #expect(field(#"{"a":"\",","b":"\u0000"}"#) == UnstorableText(field: "b"))
        #expect(field(#"{"a":[1],"b":{"c":2},"d":"\u0000"}"#) == UnstorableText(field: "d"))
        #expect(field(#"{"a":1,"\u0000":2}"#) == UnstorableText(field: #"\u0000"#))
    }

    @Test func namesASettingForEachTree() {
        #expect(PostgresSchema.setting(of: "music_2") == "drilldown.revision_of_music_2")
        #expect(PostgresSchema.setting(of: "Mü-2") == "drilldown.revision_of_$4d$c3$bc$2d2")
    }
}
