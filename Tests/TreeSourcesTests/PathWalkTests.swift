import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("The way to a file")
struct PathWalkTests {
    /// The steps of a walk: `folder ? name` for a look, `path/` and `path` for the folders and files passed.
    private func steps(_ path: String, in scratch: ScratchFolder) -> [String] {
        var steps: [String] = []
        var walk = PathWalk(path)
        walk.go {
            steps.append("\($0) ? \($1)")
        } pass: {
            steps.append($0 + ($1 ? "/" : ""))
        }
        return steps.filter { $0.hasPrefix(scratch.path + "/") || $0.hasPrefix(scratch.path + " ") }.map {
            $0.replacing(scratch.path, with: "~")
        }
    }

    @Test("passes folders, and looks the file up in the last")
    func plain() throws {
        let scratch = try ScratchFolder()
        try scratch.folder("a/b")
        try scratch.write("a/b/Data.plist", "x")
        #expect(
            steps(scratch("a/./b/Data.plist"), in: scratch) == [
                "~/", "~/a/", "~/a/b/", "~/a/b ? Data.plist", "~/a/b/Data.plist",
            ])
    }

    @Test("follows links at any height, relative and absolute ones")
    func links() throws {
        let scratch = try ScratchFolder()
        try scratch.folder("v1")
        try scratch.write("v1/Data.plist", "x")
        try scratch.link("..data", to: "v1")
        try scratch.link("Data.plist", to: scratch("..data/Data.plist"))
        #expect(
            steps(scratch("Data.plist"), in: scratch) == [
                "~/", "~ ? Data.plist", "~/", "~ ? ..data", "~/v1/", "~/v1 ? Data.plist", "~/v1/Data.plist",
            ])
    }

    @Test("ends where a name is missing, and goes on once it is there")
    func missing() throws {
        let scratch = try ScratchFolder()
        #expect(steps(scratch("a/Data.plist"), in: scratch) == ["~/", "~ ? a"])
        try scratch.folder("a")
        #expect(steps(scratch("a/Data.plist"), in: scratch) == ["~/", "~/a/", "~/a ? Data.plist"])
    }

    @Test("goes up through the folder that a link led to")
    func upwards() throws {
        let scratch = try ScratchFolder()
        try scratch.folder("deep/inner")
        try scratch.write("deep/Data.plist", "x")
        try scratch.link("short", to: "deep/inner")
        #expect(
            steps(scratch("short/../Data.plist"), in: scratch) == [
                "~/", "~ ? short", "~/deep/", "~/deep/inner/", "~/deep/inner/../", "~/deep/inner/.. ? Data.plist",
                "~/deep/inner/../Data.plist",
            ])
    }

    @Test("ends after forty links")
    func circle() throws {
        let scratch = try ScratchFolder()
        try scratch.link("A", to: "A")
        #expect(steps(scratch("A"), in: scratch).count == 42)
    }
}
