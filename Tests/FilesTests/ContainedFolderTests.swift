import Files
import Glibc
import Synchronization
import Testing
import Threads

@testable import TestSupport

@Suite("A contained folder opens its own files alone")
struct ContainedFolderTests {
    private static func made() throws -> (scratch: ScratchFolder, path: String) {
        let scratch = try ScratchFolder()
        for name in ["folder/sub", "folder/.hidden", "folder-beside"] { try scratch.folder(name) }
        for (name, text) in [
            ("folder/own.txt", "own"), ("folder/sub/deep.txt", "deep"), ("folder/.secret", "secret"),
            ("folder/.hidden/inside.txt", "inside"), ("secret.txt", "outside"), ("folder-beside/near.txt", "near"),
            ("folder/a%2fb", "percent"),
        ] {
            try scratch.write(name, text)
        }
        for (link, target) in [
            ("in.txt", "sub/deep.txt"), ("out.txt", "../secret.txt"), ("sub/up.txt", "../own.txt"),
            ("absolute-in.txt", scratch("folder/own.txt")), ("absolute-out.txt", scratch("secret.txt")),
            ("beside", "../folder-beside"), ("loop", "loop"), ("dangling", "nothing"),
        ] {
            try scratch.link("folder/" + link, to: target)
        }
        try #require(unsafe mkfifo(scratch("folder/fifo"), 0o600) == 0)
        return (scratch, scratch("folder"))
    }

    private static func content(_ folder: ContainedFolder, _ name: String) throws -> String {
        let file = try folder.open(name)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file.descriptor, $0.baseAddress, $0.count) }
        try #require(count == Int(file.status.st_size))
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test("by any name that ends in the folder")
    func opened() throws {
        let (scratch, path) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        let folder = ContainedFolder(path: path)
        let expected = [
            "own.txt": "own", "./own.txt": "own", "sub/deep.txt": "deep", "sub//deep.txt": "deep",
            "sub/../own.txt": "own", "in.txt": "deep", "sub/up.txt": "own", "absolute-in.txt": "own",
            ".secret": "secret", ".hidden/inside.txt": "inside", "a%2fb": "percent",
        ]
        for (name, text) in expected { #expect(try Self.content(folder, name) == text, "\(name)") }
        #expect(try Self.content(ContainedFolder(path: path, opensHidden: false), "own.txt") == "own")
    }

    @Test(
        "and nothing else",
        arguments: [
            ("", ContainmentError.malformedName), ("own.txt\0.png", .malformedName), ("/etc/passwd", .absolute),
            ("//etc/passwd", .absolute), ("..", .outside), ("../secret.txt", .outside),
            ("sub/../../secret.txt", .outside), ("../folder-beside/near.txt", .outside), ("out.txt", .outside),
            ("absolute-out.txt", .outside), ("beside/near.txt", .outside), ("beside/../secret.txt", .outside),
            (".", .notRegular), ("sub", .notRegular), ("sub/", .notRegular), ("beside", .outside),
            ("fifo", .notRegular), ("nothing", .missing), ("own.txt/more", .missing), ("dangling", .missing),
            ("loop", .unreadable(ELOOP)), ("..%2fsecret.txt", .missing), ("%2e%2e/secret.txt", .missing),
            (String(repeating: "x", count: 300), .unreadable(ENAMETOOLONG)),
            // A combining character makes one character of itself and the one before it.
            ("/\u{301}etc", .absolute), ("../\u{301}secret", .outside), ("sub/\u{301}/../../../secret.txt", .outside),
        ])
    func refused(name: String, expected: ContainmentError) throws {
        let (scratch, path) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        #expect(throws: expected) { _ = try ContainedFolder(path: path).open(name) }
    }

    @Test(
        "nor hidden ones if they are not allowed",
        arguments: [
            ".secret", ".hidden/inside.txt", "sub/../.secret", ".\u{301}secret", "plain.txt", "plain/inside.txt",
            "sub/chain.txt",
        ])
    func hidden(name: String) throws {
        let (scratch, path) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        for (link, target) in [
            ("plain.txt", ".secret"), ("plain", ".hidden"), ("sub/chain.txt", "../plain/inside.txt"),
        ] {
            try scratch.link("folder/" + link, to: target)
        }
        #expect(throws: ContainmentError.hidden) { _ = try ContainedFolder(path: path, opensHidden: false).open(name) }
    }

    @Test("though a hidden folder may be above the folder itself")
    func hiddenAbove() throws {
        let (scratch, path) = try Self.made()
        defer { withExtendedLifetime(scratch) {} }
        let folder = ContainedFolder(path: path + "/.hidden", opensHidden: false)
        #expect(try Self.content(folder, "inside.txt") == "inside")
    }

    @Test("even while a link is swapped again and again")
    func swapped() throws {
        let (scratch, path) = try Self.made()
        let folder = ContainedFolder(path: path)
        let isOver = Atomic(false)
        let swapping = try Thread(name: "swapping") {
            let (one, other) = (path + "/one", path + "/other")
            while !isOver.load(ordering: .relaxed) {
                for target in ["own.txt", "../secret.txt"] {
                    _ = unsafe symlink(target, other)
                    _ = unsafe rename(other, one)
                }
            }
        }
        for _ in 0..<5_000 {
            do {
                #expect(try Self.content(folder, "one") == "own")
            } catch ContainmentError.outside, ContainmentError.missing {}
        }
        isOver.store(true, ordering: .relaxed)
        swapping.join()
        withExtendedLifetime(scratch) {}
    }

    @Test("and an open folder is never found through a link")
    func openFolder() throws {
        let (scratch, path) = try Self.made()
        _ = try OpenFolder(path: path + "/sub")
        try scratch.rename("folder/sub", "away")
        try scratch.link("folder/sub", to: "../folder-beside")
        #expect(throws: ContainmentError.missing) { _ = try OpenFolder(path: path + "/sub") }
        #expect(throws: ContainmentError.missing) { _ = try OpenFolder(path: path + "/sub/below") }
        #expect(throws: ContainmentError.missing) { _ = try OpenFolder(path: path + "/own.txt") }
    }
}
