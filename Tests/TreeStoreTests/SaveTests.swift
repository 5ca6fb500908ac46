import Foundation
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

/// The ways in which programs save a file.
enum Save: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case inPlace = "in place"
    case aside = "written aside and renamed"
    case vim = "by vim's renames"
    case link = "by a swapped link"
    case anew = "deleted and made anew"

    var testDescription: String { rawValue }

    /// Saves `Data.plist`, which is behind a link `..data` from the beginning.
    func write(_ text: String, in scratch: ScratchFolder) throws {
        switch self {
        case .inPlace: try scratch.write("Data.plist", text)
        case .aside:
            try scratch.write("aside", text)
            try scratch.rename("aside", "..data/Data.plist")
        case .vim:
            try scratch.rename("..data/Data.plist", "..data/Data.plist~")
            try scratch.write("..data/Data.plist", text)
            try scratch.remove("..data/Data.plist~")
        case .link:
            let version = UUID().uuidString
            try scratch.folder(version)
            try scratch.write("\(version)/Data.plist", text)
            try scratch.link("..data_tmp", to: version)
            try scratch.rename("..data_tmp", "..data")
        case .anew:
            try scratch.remove("..data/Data.plist")
            try scratch.write("..data/Data.plist", text)
        }
    }
}

@Suite("A save")
struct SaveTests {
    private let scratch: ScratchFolder
    private let journal = Journal()

    init() throws {
        scratch = try ScratchFolder()
        try scratch.folder("v1")
        try scratch.write("v1/Data.plist", items("A"))
        try scratch.link("..data", to: "v1")
        try scratch.link("Data.plist", to: "..data/Data.plist")
    }

    /// A store that is notified only by the kernel.
    private func store(pollInterval: Duration = .seconds(3_600)) throws -> TreeStore {
        try TreeStore(source: PropertyListFile(path: scratch("Data.plist"), pollInterval: pollInterval)) { [journal] in
            journal.note($0)
        }
    }

    @Test("is served at once", arguments: Save.allCases)
    func whole(_ save: Save) throws {
        let store = try store()
        for title in ["B", "C", "D"] {
            try save.write(items(title), in: scratch)
            #expect(journal.waits { store.titles == [title] })
            #expect(store.status == .ok)
        }
        #expect(journal.refusals.isEmpty)
    }

    @Test(
        "of half a document leaves the tree, and tells that it is stale until a whole one comes",
        arguments: Save.allCases)
    func broken(_ save: Save) throws {
        let store = try store()
        let before = store.current
        try save.write("<plist><array><string>B</string>", in: scratch)
        #expect(journal.waits { store.isStale })
        #expect(store.current === before)
        let sentence =
            "\(scratch("Data.plist")):1:33: in /: the document ends before the property list does; it was truncated."
        #expect(store.status.lastError == sentence)
        try save.write(items("C"), in: scratch)
        #expect(journal.waits { store.titles == ["C"] })
        #expect(store.status == .ok)
    }

    @Test("of the previous content clears a stale status and makes no revision", arguments: Save.allCases)
    func repaired(_ save: Save) throws {
        let store = try store()
        let before = store.current
        try save.write("nonsense", in: scratch)
        #expect(journal.waits { store.isStale })
        try save.write(items("A"), in: scratch)
        #expect(journal.waits { store.status == .ok })
        #expect(store.current === before)
    }

    @Test("that removes the file for good is reported after the debounce")
    func removed() throws {
        let store = try store()
        try scratch.remove("v1/Data.plist")
        #expect(journal.waits { store.isStale })
        #expect(
            store.status.lastError
                == "\(scratch("Data.plist")): it is a symbolic link to ..data/Data.plist, which does not exist; point it at a property list file."
        )
        #expect(journal.refusals.count == 1)
        #expect(store.titles == ["A"])
    }

    @Test("of a hundred in a row ends with the last one")
    func many() throws {
        let store = try store()
        for number in 1...100 { try Save.allCases[number % 5].write(items("\(number)"), in: scratch) }
        #expect(journal.waits { store.titles == ["100"] })
        #expect(journal.refusals.isEmpty)
    }

    @Test("that causes no event is found by checking")
    func unseen() throws {
        let store = try store(pollInterval: .milliseconds(20))
        let handle = try #require(FileHandle(forWritingAtPath: scratch("Data.plist")))
        try handle.write(contentsOf: Data(items("BC").utf8))
        #expect(journal.waits { store.titles == ["BC"] })
        try handle.close()
    }
}
