import Foundation
import Testing

@testable import DrilldownClient

@Suite struct ItemPathTests {
    private static let cases: [(ItemPath, String, String, String)] = [
        (ItemPath.root, "/levels/", "/detail/", "/"),
        (["Item 4", "Screen G"], "/levels/Item%204/Screen%20G", "/detail/Item%204/Screen%20G", "/Item%204/Screen%20G"),
        (["a/b", "100 %"], "/levels/a%2Fb/100%20%25", "/detail/a%2Fb/100%20%25", "/a%2Fb/100%20%25"),
        (["Ä", "😀"], "/levels/%C3%84/%F0%9F%98%80", "/detail/%C3%84/%F0%9F%98%80", "/%C3%84/%F0%9F%98%80"),
        (["A~2", "~1", "-._~"], "/levels/A~2/~1/-._~", "/detail/A~2/~1/-._~", "/A~2/~1/-._~"),
    ]

    @Test(arguments: cases)
    func `a path is encoded in canonical form, and read from its links`(
        _ path: ItemPath, _ level: String, _ detail: String, _ description: String
    ) throws {
        #expect(path.levelLink == level)
        #expect(path.detailLink == detail)
        #expect(path.description == description)
        #expect(ItemPath(href: level) == path)
        #expect(ItemPath(href: detail) == path)
        #expect(ItemPath(href: "https://example.org" + level + "?limit=1#top") == path)
        #expect(ItemPath(href: "/a/b" + detail) == path)
        #expect(ItemPath(href: "https://example.org/a" + level) == path)
        let keys = try JSONEncoder().encode(path)
        #expect(try JSONDecoder().decode([String].self, from: keys) == path.keys)
        #expect(try JSONDecoder().decode(ItemPath.self, from: keys) == path)
    }

    @Test(arguments: [
        "", "/", "levels/A", "/level/A", "/levelsA", "/levels/%", "/levels/%4", "/levels/%zz", "/levels/%FF",
        "/levels//A",
        "/changes", "https://example.org", "/document/levels/A", "/a/assets/detail", "/client/detail/a",
        "/problems/levels",
    ])
    func `what is no link of an item is no path`(_ link: String) { #expect(ItemPath(href: link) == nil) }

    @Test func `slashes at the end and hexadecimal digits in lower case are read`() {
        #expect(ItemPath(href: "/levels/a%2fb/") == ["a/b"])
        #expect(ItemPath(href: "/levels") == .root)
        #expect(ItemPath(href: "/levels/a:bcd/e#top") == ["a:bcd", "e"])
    }

    @Test func `a link with the path of a service's address does not get this path twice`() throws {
        for address in ["http://h:1/a/b/", "http://h:1/a/b"] {
            let configuration = try ServerConfiguration(address)
            for target in ["/a/b/levels/?x=/a/b", "/levels/?x=/a/b"] {
                #expect(configuration.url(of: target)?.absoluteString == "http://h:1/a/b/levels/?x=/a/b")
            }
        }
        #expect(try ServerConfiguration("http://h:1").url(of: "/a/levels")?.absoluteString == "http://h:1/a/levels")
    }

    @Test func `a path knows what is above and below it`() {
        let path: ItemPath = ["Item 4", "Screen G"]
        #expect(path.parent == ["Item 4"])
        #expect(path.lastKey == "Screen G")
        #expect(path.depth == 2)
        #expect(ItemPath.root.parent == nil)
        #expect(ItemPath.root.lastKey == nil)
        #expect(ItemPath.root / "Item 4" / "Screen G" == path)
        #expect(path.starts(with: ["Item 4"]))
        #expect(!path.starts(with: ["Item"]))
        #expect(ItemPath(["e\u{301}"]) == ItemPath(["\u{e9}"]))
    }
}
