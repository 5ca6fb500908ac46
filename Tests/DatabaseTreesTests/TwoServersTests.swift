import Bytes
import Levels
import PropertyLists
import TestSources
import Testing
import Threads
import TreeSources
import TreeStore

@testable import DatabaseTrees
@testable import TestSupport

/// Two servers of one database, of which the second has not heard of the latest edit at the first.
@Suite struct TwoServersTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func source(isPostgres: Bool) throws -> DatabaseTree {
        if isPostgres {
            let server = try PostgresServer.shared.get()
            try server.makeTree("two_servers", ["kept"], replaces: true)
            return try .postgres(
                "postgres://drilldown@/trees?host=\(server.folder)&tree=two_servers", passwordFile: nil)
        }
        let source = DatabaseTree.sqlite(path: scratch("T.db"), name: "sqlite:T.db")
        var builder = TreeBuilder(names: .init())
        try JSONPropertyListReader.read(.memory(Array(#"["kept"]"#.utf8)), limits: .init(), into: &builder)
        try source.importDocument(try builder.finish(), keys: .init(), replaces: false)
        return source
    }

    private func path(_ key: String) throws -> ItemPath { try ItemPath(Array(key.utf8).span) }

    private func flag(_ text: String) -> PropertyListValue {
        .dictionary(.init([.init(key: "Flag", value: .string(text))]))
    }

    private func text(of tree: Tree) throws -> String {
        var writer = JSONPropertyListWriter()
        var walk = TreeWalk(level: tree.document, row: 0)
        try walk.finish(to: &writer)
        return String(decoding: Array(copying: writer.output.span), as: UTF8.self)
    }

    @Test(arguments: [false, true])
    func theSecondJudgesAnEditOnTheTreeOfTheFirst(isPostgres: Bool) throws {
        let source = try source(isPostgres: isPostgres)
        let stores = [try TreeStore(source: source), try TreeStore(source: source)]
        for number in 0..<50 {
            let (first, second) = (stores[number % 2], stores[1 - number % 2])
            let row = try path("row \(number)")
            try #require(
                first.isDone(.insert(.string("row \(number)"), below: .root, at: .last, section: nil)), "\(number)")
            try #require(second.isDone(.patch(flag("here"), at: row)), "\(number)")
            // A value that the second server still shows is no reason to do nothing.
            try #require(first.isDone(.patch(flag("new"), at: try path("kept"))), "\(number)")
            try #require(second.isDone(.patch(flag("old"), at: try path("kept"))), "\(number)")
            try #require(text(of: try source.load(replacing: nil).tree).contains(#""Flag":"old""#), "\(number)")
            try #require(first.isDone(.delete(row)) && !second.isDone(.delete(row)), "\(number)")
        }
    }
}

extension TreeStore {
    /// Does an edit. Returns false if it is refused.
    fileprivate func isDone(_ edit: Edit) -> Bool {
        let outcome = Handover<Bool>()
        self.edit(
            EditRequest(content: .edits(EditBatch([edit], isExact: true)), author: nil) { answer in
                if case .done = answer { outcome.give(true) } else { outcome.give(false) }
            })
        return outcome.take()
    }
}
