/// What `Data/Data.plist` gives, as the answers have it; a test asks for each of them.
///
/// Revisions and times, which differ from start to start, are those of one run.
enum Examples {
    static let index = #"""
        {"title":"Root","items":14,"revision":"k3-1","editable":false,"links":{"levels":"/levels/",\#
        "detail":"/detail/","document":"/document","changes":"/changes","openapi":"/openapi.json",\#
        "health":"/healthz","readiness":"/readyz"}}
        """#
    static let level = #"""
        {"title":"Item 4","href":"/levels/Item%204","detail":"/detail/Item%204","version":"Fjlz8AfyruODWhGgVqQ_p7",\#
        "depth":1,"leaf":false,"ancestors":[{"title":"Root","href":"/levels/"}],"count":1,\#
        "sections":[{"title":null,"index":null,"start":0,"count":1}],\#
        "rows":[{"key":"Screen G","version":"jm8pzr_p","title":"Screen G","leaf":false,"count":1,\#
        "href":"/levels/Item%204/Screen%20G","fields":{}}],"next":null}
        """#
    static let detail = #"""
        {"title":"Item 4","href":"/detail/Item%204","level":"/levels/Item%204","version":"JiBSs-V7AAIFE5-ledX3uo",\#
        "fieldsVersion":"5PbV1QU2","depth":1,"leaf":false,"count":1,"ancestors":[{"title":"Root","href":"/levels/"}],\#
        "position":{"index":3,"of":4,"section":0,"first":false,"last":true},\#
        "previous":{"title":"Item 3","href":"/detail/Item%203"},"next":null,\#
        "firstChild":{"title":"Screen G","href":"/detail/Item%204/Screen%20G"},\#
        "lastChild":{"title":"Screen G","href":"/detail/Item%204/Screen%20G"},"fields":{"Title":"Item 4"}}
        """#
    static let changes = #"{"revision":"k3-1","since":"k3-1","reset":false,"changes":[]}"#
    static let problemKind = #"""
        {"type":"/problems/no-such-item","title":"No such item","status":404,\#
        "explanation":"No item has this path. 'nearest' links to the nearest existing level above it. \#
        The document may have changed."}
        """#
    static let health = #"{"status":"alive"}"#
    static let readiness = #"""
        {"status":"ok","revision":"k3-1","source":"Data.plist","loadedAt":"2023-11-14T22:13:20Z","items":14}
        """#

    static let newItem = #"{"Title":"Screen K"}"#
    static let madeItem = #"""
        {"title":"Screen K","href":"/detail/Item%204/Screen%20K","level":"/levels/Item%204/Screen%20K",\#
        "version":"FMcqVD7T5yiJPX_BjjHaPb","fieldsVersion":"s026nUkt","depth":2,"leaf":true,"count":0,\#
        "ancestors":[{"title":"Root","href":"/levels/"},{"title":"Item 4","href":"/levels/Item%204"}],\#
        "position":{"index":1,"of":2,"section":0,"first":false,"last":true},\#
        "previous":{"title":"Screen G","href":"/detail/Item%204/Screen%20G"},"next":null,"firstChild":null,\#
        "lastChild":null,"fields":{"Title":"Screen K"}}
        """#
    static let putItem = #"{"Title":"Screen G","Subtitle":"The first of four"}"#
    static let patch = #"{"Subtitle":"The first of four"}"#
    static let move = #"{"from":"/detail/Item%201/Screen%20A","to":"/levels/Item%204","at":"first"}"#
    static let steps = #"""
        {"edits":[{"insert":{"Title":"Screen K"},"to":"/levels/Item%204"},{"delete":"/detail/Item%201"}]}
        """#
}
