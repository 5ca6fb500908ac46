// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
    // The read path crosses four modules for every row; this lets the optimiser see through them.
    .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

let package = Package(
    name: "drilldown",
    products: [.executable(name: "drilldown", targets: ["drilldown"])],
    targets: [
        .systemLibrary(name: "CMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CThreads"),
        .systemLibrary(name: "CXXHash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CBrotli", providers: [.apt(["libbrotli-dev"])]),
        .target(name: "Bytes", swiftSettings: settings),
        .target(name: "HTTPFields", dependencies: ["Bytes"], swiftSettings: settings),
        .target(name: "Locking", swiftSettings: settings),
        .target(name: "Threads", dependencies: ["Locking", "CEpoll", "CThreads"], swiftSettings: settings),
        .target(name: "Heap", dependencies: ["CMalloc"], swiftSettings: settings),
        .target(name: "PropertyLists", swiftSettings: settings),
        .target(
            name: "ContentCodings", dependencies: ["HTTPFields", "Bytes", "Locking", "CZlib", "CBrotli"],
            swiftSettings: settings),
        .target(
            name: "Levels", dependencies: ["Bytes", "PropertyLists", "CXXHash", "CUTF8Proc"], swiftSettings: settings),
        .target(
            name: "TreeSources", dependencies: ["Threads", "Levels", "PropertyLists", "CCurl"], swiftSettings: settings),
        .target(
            name: "TreeStore", dependencies: ["Locking", "Threads", "TreeSources", "Levels", "PropertyLists", "Heap"],
            swiftSettings: settings),
        .target(
            name: "HTTPServer",
            dependencies: ["HTTPFields", "Locking", "Threads", "Heap", "CMicroHTTPD", "CEpoll"],
            swiftSettings: settings),
        .target(
            name: "LevelsAPI",
            dependencies: [
                "Bytes", "HTTPFields", "Locking", "HTTPServer", "ContentCodings", "Levels", "PropertyLists",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "drilldown",
            dependencies: ["LevelsAPI", "TreeStore", "TreeSources", "HTTPServer", "Levels", "PropertyLists"],
            swiftSettings: settings),
        .testTarget(name: "BytesTests", dependencies: ["Bytes"], swiftSettings: settings),
        .testTarget(name: "HTTPFieldsTests", dependencies: ["HTTPFields", "Bytes"], swiftSettings: settings),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads", "Locking", "CThreads"], swiftSettings: settings),
        .testTarget(name: "PropertyListsTests", dependencies: ["PropertyLists"], swiftSettings: settings),
        .testTarget(
            name: "ContentCodingsTests", dependencies: ["ContentCodings", "CZlib", "CBrotli"], swiftSettings: settings,
            linkerSettings: [.linkedLibrary("brotlidec")]),
        .testTarget(
            name: "LevelsTests", dependencies: ["Levels", "PropertyLists", "Locking", "CUTF8Proc"],
            swiftSettings: settings),
        .testTarget(
            name: "TreeSourcesTests", dependencies: ["TreeSources", "Threads", "Levels", "PropertyLists", "Locking"],
            swiftSettings: settings),
        .testTarget(
            name: "TreeStoreTests",
            // The origin that says what a test wants comes from the tests of TreeSources.
            dependencies: ["TreeStore", "TreeSources", "Threads", "Levels", "Locking", "TreeSourcesTests"],
            swiftSettings: settings),
        .testTarget(
            name: "HTTPServerTests", dependencies: ["HTTPServer", "Locking", "Threads"], swiftSettings: settings),
        .testTarget(
            name: "LevelsAPITests",
            // Random documents come from the tests of Levels, decoders from those of ContentCodings.
            dependencies: [
                "LevelsAPI", "HTTPServer", "ContentCodings", "Levels", "PropertyLists", "LevelsTests",
                "ContentCodingsTests",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CommandTests",
            // Scratch folders come from the tests of TreeSources.
            dependencies: [
                "drilldown", "TreeStore", "TreeSources", "HTTPServer", "Levels", "PropertyLists", "TreeSourcesTests",
            ],
            swiftSettings: settings),
    ]
)
