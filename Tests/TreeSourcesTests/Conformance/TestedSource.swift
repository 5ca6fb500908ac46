import Foundation
import Levels
import Locking
import PropertyLists
import TestSources
import Testing

@testable import TestSupport
@testable import TreeSources

/// A kind of source that the conformance suite runs over; a new kind is one more value.
struct TestedKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (ScratchFolder) throws -> TestedSource

    static let all = [xml, binary, json, composition, bundle, url, memory, sqlite, postgres]
}

/// A source whose rows are `A` and `B`, and the other program that writes to it.
struct TestedSource {
    let source: any TreeSource
    /// Writes rows of these titles, as another program does; the source must notice.
    let write: @Sendable ([String]) throws -> Void
    /// Makes the source unreadable until the next `write`.
    let spoil: @Sendable () throws -> Void
    /// An edit that changes something each time; nil if the source cannot be edited.
    var edit: (@Sendable (_ number: Int) throws -> Edit)?
    /// Whether the source names its revisions.
    var namesRevisions = false
    /// The level that has the rows, in a document.
    var level: @Sendable (Level) -> Level? = { $0.child(0) }

    /// The titles of a document's rows.
    func titles(_ document: Level?) -> [String] {
        guard let level = document.flatMap(level) else { return [] }
        return level.rowNumbers.map(level.title)
    }
}

extension TestedKind {
    static let inserting: @Sendable (Int) -> Edit = { number in
        .insert(.string("New \(number)"), below: .root, at: .last, section: nil)
    }

    private static func file(_ name: String, _ text: @escaping @Sendable ([String]) throws -> Data) -> TestedKind {
        TestedKind(testDescription: name) { scratch in
            let path = scratch(name)
            // Aside and renamed, so that no half of it is read.
            let write: @Sendable ([String]) throws -> Void = { titles in
                try text(titles).write(to: URL(filePath: path), options: .atomic)
            }
            try write(["A", "B"])
            return TestedSource(
                source: PropertyListFile(path: path, pollInterval: .seconds(3_600)), write: write,
                spoil: { try Data("nonsense".utf8).write(to: URL(filePath: path), options: .atomic) },
                edit: inserting)
        }
    }

    static let xml = file("Data.plist") { titles in
        try PropertyListSerialization.data(fromPropertyList: titles, format: .xml, options: 0)
    }

    static let binary = file("Binary.plist") { titles in
        try PropertyListSerialization.data(fromPropertyList: titles, format: .binary, options: 0)
    }

    static let json = file("Data.json") { try JSONEncoder().encode($0) }

    /// A document whose rows are in a file that it mounts.
    static let composition = TestedKind(testDescription: "composition") { scratch in
        try scratch.write("Main.json", #"[{"Title":"Mount","Source":"Part.json"}]"#)
        let path = scratch("Part.json")
        let write: @Sendable ([String]) throws -> Void = { titles in
            try JSONEncoder().encode(titles).write(to: URL(filePath: path), options: .atomic)
        }
        try write(["A", "B"])
        let main = scratch("Main.json")
        return TestedSource(
            source: PropertyListFile(path: main, pollInterval: .seconds(3_600)),
            write: { titles in
                try #"[{"Title":"Mount","Source":"Part.json"}]"#.write(toFile: main, atomically: true, encoding: .utf8)
                try write(titles)
            },
            spoil: { try "nonsense".write(toFile: main, atomically: true, encoding: .utf8) },
            edit: { number in
                .insert(
                    .string("New \(number)"), below: try ItemPath("/Mount".utf8.span), at: .last, section: nil)
            }, level: { $0.child(0)?.child(0) })
    }

    /// A settings bundle whose rows are controls, with a values document.
    static let bundle = TestedKind(testDescription: "App.bundle") { scratch in
        try scratch.folder("App.bundle")
        let path = scratch("App.bundle/Root.plist")
        let write: @Sendable ([String]) throws -> Void = { titles in
            let controls = titles.map {
                #"{"Type":"PSToggleSwitchSpecifier","Title":"\#($0)","Key":"\#($0)","DefaultValue":false}"#
            }
            try #"{"PreferenceSpecifiers":[\#(controls.joined(separator: ","))]}"#.write(
                toFile: path, atomically: true, encoding: .utf8)
        }
        try write(["A", "B"])
        return TestedSource(
            source: PropertyListFile(
                path: path, name: scratch("App.bundle"), pollInterval: .seconds(3_600),
                valuesPath: scratch("Values.plist")),
            write: write, spoil: { try "nonsense".write(toFile: path, atomically: true, encoding: .utf8) },
            edit: { number in try .setting("/B", number.isMultiple(of: 2) ? "true" : "false") })
    }

    /// A document at a URL whose server is asked every few milliseconds.
    static let url = TestedKind(testDescription: "URL") { _ in
        let text = Guarded(items("A", "B"))
        let origin = try StubOrigin { request in
            let document = text.withLock { $0 }
            let tag = "\"\(document.utf8.count)-\(document.hashValue)\""
            if request.fields["if-none-match"] == tag { return .notModified(tag: tag) }
            return .document(document, tag: tag)
        }
        return TestedSource(
            source: RemoteDocument(address: try RemoteAddress(origin()), interval: .milliseconds(20)),
            write: { titles in
                let json = String(decoding: try JSONEncoder().encode(titles), as: UTF8.self)
                text.withLock { $0 = json }
            },
            spoil: {
                // The origin lives as long as the test.
                withExtendedLifetime(origin) { text.withLock { $0 = "nonsense" } }
            })
    }

    static let memory = TestedKind(testDescription: "memory") { _ in
        let source = try MemorySource(#"["A","B"]"#)
        return TestedSource(
            source: source,
            write: { try source.commit(String(decoding: JSONEncoder().encode($0), as: UTF8.self)) },
            spoil: { source.spoil("its table is gone; restore it") }, edit: inserting, namesRevisions: true)
    }
}
