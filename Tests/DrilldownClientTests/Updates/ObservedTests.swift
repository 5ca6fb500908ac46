import Testing

@testable import DrilldownClient

@Suite("What is observed is read again")
struct ObservedTests {
    @Test(
        "after a change of a detail or of the level above it, or after changes whose links are unknown",
        arguments: [
            (ChangesAnswer(follow: "x"), false), (ChangesAnswer(follow: "x", details: ["/detail/a/b"]), true),
            (ChangesAnswer(follow: "x", details: ["/detail/a", "/detail/a/c"]), false),
            (ChangesAnswer(follow: "x", levels: ["/levels/a"]), true),
            (ChangesAnswer(follow: "x", levels: ["/levels/", "/levels/a/b"]), false),
            (ChangesAnswer(follow: "x", isTruncated: true), true),
        ])
    func detail(changes: ChangesAnswer, isConcerned: Bool) {
        #expect(DetailTarget(path: ["a", "b"]).isConcerned(by: changes) == isConcerned)
    }

    @Test(
        "after a change of the level, or anywhere below it for a search or an outline, or if the link is strange",
        arguments: [
            (LevelQuery.all, "/levels/a", true), (.all, "/levels/b", false), (.all, "/levels/a/b", false),
            (.all, "/else", true), (.searching(for: "x"), "/levels/a/b", true), (.outlined(), "/levels/a/b", true),
            (.outlined(expanding: [["b"]]), "/levels/a/b", true),
        ])
    func level(query: LevelQuery, link: String, isConcerned: Bool) {
        let target = LevelTarget(path: ["a"], query: query)
        #expect(target.isConcerned(by: ChangesAnswer(follow: "x", levels: [link])) == isConcerned)
    }
}
