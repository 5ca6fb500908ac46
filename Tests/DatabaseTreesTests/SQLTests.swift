import Testing

@testable import DatabaseTrees

@Suite("A statement of SQL") struct SQLTests {
    @Test("has a place for each value, in the order of its text")
    func places() {
        let sql: SQL = "SELECT 1 FROM t WHERE a = \(7 as Int64?) AND b = \(text: "x?") AND c = \(DatabaseValue.null)"
        #expect(sql.text == "SELECT 1 FROM t WHERE a = ? AND b = ? AND c = ?")
        #expect(sql.numberedText == "SELECT 1 FROM t WHERE a = $1 AND b = $2 AND c = $3")
        #expect(sql.values == [.integer(7), .text(Array("x?".utf8)), .null])
    }

    @Test("keeps question marks and quotes of names and of other text")
    func names() {
        let sql: SQL = #"SELECT a ? 'b' FROM \#(identifier: #"od?d "t""#) LIMIT \#(literal: 3) OFFSET \#(4 as Int64?)"#
        #expect(sql.numberedText == #"SELECT a ? 'b' FROM "od?d ""t""" LIMIT 3 OFFSET $1"#)
        #expect(sql.values == [.integer(4)])
    }

    @Test("doubles each quotation mark of a name, also before a combining mark")
    func combiningMark() {
        let sql: SQL = "SELECT \(identifier: "a\"\u{301} FROM t; --")"
        #expect(Array(sql.text.utf8) == Array("SELECT \"a\"\"\u{301} FROM t; --\"".utf8))
    }

    @Test("nests parts with their values, as often as they are named")
    func parts() {
        let numbers: [SQL] = [1, 2].map { (number: Int64) in "\(number)" }
        let part: SQL = "a IN (\(numbers.joined(by: ", ")))"
        let sql: SQL = "\(part) OR b = \(text: "x") OR NOT \(part)"
        #expect(sql.numberedText == "a IN ($1, $2) OR b = $3 OR NOT a IN ($4, $5)")
        #expect(sql.values == [.integer(1), .integer(2), .text([0x78]), .integer(1), .integer(2)])
        #expect(([SQL]()).joined(by: ", ") == "")
    }

    @Test("has the same text for other values, and is another statement")
    func reuse() {
        let (one, other): (SQL, SQL) = ("a = \(1 as Int64?)", "a = \(2 as Int64?)")
        #expect(one.text == other.text && one != other)
    }

    @Test("sends arrays as text in which quotes and backslashes are escaped")
    func arrays() {
        let sql: SQL = "\(array: [.integer(-1), .null, .text(Array(#"{"a":"\n"}"#.utf8)), .text([])])"
        #expect(sql.values.map(\.string) == [#"{-1,NULL,"{\"a\":\"\\n\"}",""}"#])
    }
}
