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

// Other packages depend on the client library, so its settings are those that SwiftPM allows in a dependency. It compiles
// dependencies with -suppress-warnings, which excludes .treatAllWarnings(as: .error); for these targets .ci/run passes
// -warnings-as-errors.
let clientSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Apple reads the privacy manifest; on Linux it would only make a bundle of files beside each program.
#if os(macOS)
    let privacyManifest: (excluded: [String], resources: [Resource]) = ([], [.copy("PrivacyInfo.xcprivacy")])
#else
    let privacyManifest: (excluded: [String], resources: [Resource]) = (["PrivacyInfo.xcprivacy"], [])
#endif

let package = Package(
    name: "drilldown",
    // They concern the client library; the service itself is for Linux.
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .executable(name: "drilldown", targets: ["drilldown"]),
        .executable(name: "drilldown-browse", targets: ["drilldown-browse"]),
        .library(name: "DrilldownClient", targets: ["DrilldownClient"]),
        .library(name: "DrilldownPreviews", targets: ["DrilldownPreviews"]),
    ],
    targets: [
        .systemLibrary(name: "CMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CGnuTLS", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CEpoll"),
        // Debugging information in the version that Swift writes too, because valgrind cannot read both at once.
        .target(name: "CSockets", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
        .systemLibrary(name: "CThreads"),
        .systemLibrary(name: "CFiles"),
        .systemLibrary(name: "CSearch"),
        .systemLibrary(name: "CXXHash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CBrotli", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPostgres", providers: [.apt(["libpq-dev"])]),
        // The service and its client both use it, so it has the settings of the client.
        .target(name: "DrilldownDates", swiftSettings: clientSettings),
        .target(name: "Bytes", dependencies: ["CSearch", "Heap"], swiftSettings: settings),
        .target(name: "HTTPFields", dependencies: ["Bytes"], swiftSettings: settings),
        .target(name: "Locking", swiftSettings: settings),
        .target(name: "Threads", dependencies: ["Heap", "Locking", "CEpoll", "CThreads"], swiftSettings: settings),
        .target(name: "Files", swiftSettings: settings),
        .target(name: "ServiceManager", swiftSettings: settings),
        .target(name: "Heap", dependencies: ["CMalloc"], swiftSettings: settings),
        .target(name: "PropertyLists", dependencies: ["Bytes", "DrilldownDates", "Heap"], swiftSettings: settings),
        .target(
            name: "ContentCodings", dependencies: ["HTTPFields", "Bytes", "Heap", "Locking", "CZlib", "CBrotli"],
            swiftSettings: settings),
        .target(
            name: "Levels",
            dependencies: ["Bytes", "DrilldownDates", "Heap", "Locking", "PropertyLists", "CXXHash", "CUTF8Proc"],
            swiftSettings: settings),
        .target(
            name: "TreeSources",
            dependencies: [
                "Bytes", "ContentCodings", "Files", "Heap", "Locking", "Threads", "Levels", "PropertyLists", "CCurl",
                "CFiles",
            ],
            swiftSettings: settings),
        .target(
            name: "DatabaseTrees",
            dependencies: [
                "Bytes", "DrilldownDates", "Files", "Heap", "Locking", "Threads", "Levels", "PropertyLists",
                "TreeSources", "CSQLite", "CPostgres",
            ],
            swiftSettings: settings),
        .target(
            name: "DatabaseTables",
            dependencies: [
                "Bytes", "DrilldownDates", "Files", "Locking", "Threads", "Levels", "PropertyLists", "TreeSources",
                "DatabaseTrees",
            ],
            swiftSettings: settings),
        .target(
            name: "TreeStore", dependencies: ["Locking", "Threads", "TreeSources", "Levels", "PropertyLists", "Heap"],
            swiftSettings: settings),
        .target(
            name: "HTTPServer",
            dependencies: [
                "Bytes", "DrilldownDates", "Files", "HTTPFields", "Locking", "Threads", "Heap", "CMicroHTTPD",
                "CGnuTLS", "CEpoll", "CSockets",
            ],
            swiftSettings: settings),
        // The files of the web client, and the description of the service, become part of the program.
        .target(name: "CEmbeddedFiles", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
        .target(
            name: "LevelsAPI",
            dependencies: [
                "Bytes", "DrilldownDates", "Files", "Heap", "HTTPFields", "Locking", "Threads", "HTTPServer",
                "ContentCodings", "Levels", "PropertyLists", "TreeSources", "TreeStore", "CEmbeddedFiles",
            ],
            exclude: ["Description/openapi.json"],
            swiftSettings: settings),
        .executableTarget(
            name: "drilldown",
            dependencies: [
                "Bytes", "DrilldownDates", "Files", "Heap", "Locking", "Threads", "ServiceManager", "LevelsAPI",
                "TreeStore", "TreeSources", "DatabaseTrees", "DatabaseTables", "HTTPServer", "Levels", "PropertyLists",
            ],
            swiftSettings: settings),
        // For apps on every platform: only Foundation, and no module of the service alone.
        .target(
            name: "DrilldownClient", dependencies: ["DrilldownDates"], exclude: privacyManifest.excluded,
            resources: privacyManifest.resources, swiftSettings: clientSettings),
        // A service in memory, for the previews and tests of apps.
        .target(name: "DrilldownPreviews", dependencies: ["DrilldownClient"], swiftSettings: clientSettings),
        .executableTarget(name: "drilldown-browse", dependencies: ["DrilldownClient"], swiftSettings: clientSettings),
        // What test targets share: they do not depend on each other.
        .target(
            name: "TestDocuments", dependencies: ["Bytes", "Levels", "PropertyLists"], path: "Tests/TestDocuments",
            swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["ContentCodings", "Locking", "Threads", "CZlib", "CBrotli", "CGnuTLS"],
            path: "Tests/TestSupport", swiftSettings: settings, linkerSettings: [.linkedLibrary("brotlidec")]),
        // A source for the tests of sources and stores, and a database server.
        .target(
            name: "TestSources",
            dependencies: ["Bytes", "TreeSources", "Threads", "Levels", "PropertyLists", "Locking"],
            path: "Tests/TestSources", swiftSettings: settings),
        // Observes levels for a system test.
        .executableTarget(
            name: "TestClient", dependencies: ["DrilldownClient"], path: "Tests/TestClient",
            swiftSettings: clientSettings),
        .testTarget(name: "BytesTests", dependencies: ["Bytes", "Heap"], swiftSettings: settings),
        .testTarget(name: "HTTPFieldsTests", dependencies: ["HTTPFields", "Bytes"], swiftSettings: settings),
        .testTarget(name: "ServiceManagerTests", dependencies: ["ServiceManager"], swiftSettings: settings),
        .testTarget(name: "FilesTests", dependencies: ["Files", "Threads", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads", "Locking", "CThreads"], swiftSettings: settings),
        .testTarget(
            name: "DrilldownDatesTests", dependencies: ["DrilldownDates", "TestDocuments"], swiftSettings: settings),
        .testTarget(
            name: "PropertyListsTests", dependencies: ["PropertyLists", "Bytes", "DrilldownDates"],
            swiftSettings: settings),
        .testTarget(
            name: "ContentCodingsTests", dependencies: ["ContentCodings", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "LevelsTests",
            dependencies: [
                "Levels", "Bytes", "DrilldownDates", "PropertyLists", "Locking", "CUTF8Proc", "TestDocuments",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DatabaseTreesTests",
            dependencies: [
                "DatabaseTrees", "Bytes", "Threads", "Levels", "PropertyLists", "Locking", "TreeSources", "TreeStore",
                "TestSources", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DatabaseTablesTests",
            dependencies: [
                "DatabaseTables", "DatabaseTrees", "Bytes", "Levels", "PropertyLists", "TreeSources", "TestSources",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TreeSourcesTests",
            dependencies: [
                "TreeSources", "ContentCodings", "DatabaseTrees", "Bytes", "Files", "Threads", "Levels",
                "PropertyLists",
                "Locking", "TestDocuments", "TestSources", "TestSupport", "CFiles",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TreeStoreTests",
            dependencies: [
                "TreeStore", "TreeSources", "Threads", "Levels", "PropertyLists", "Locking", "TestSources",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: ["HTTPServer", "Files", "Locking", "Threads", "TestDocuments", "TestSupport", "CGnuTLS"],
            swiftSettings: settings),
        .testTarget(
            name: "LevelsAPITests",
            dependencies: [
                "LevelsAPI", "Bytes", "Files", "TreeStore", "TreeSources", "HTTPServer", "ContentCodings", "Levels",
                "Locking", "PropertyLists", "TestDocuments", "TestSources", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "drilldown", "ServiceManager", "LevelsAPI", "TreeStore", "TreeSources", "HTTPServer", "Levels",
                "PropertyLists", "TestDocuments", "TestSources", "TestSupport",
            ],
            swiftSettings: settings),
        // The tests start the service, so it has to be built before.
        .testTarget(
            name: "BrowseTests", dependencies: ["drilldown-browse", "DrilldownClient", "DrilldownPreviews"],
            swiftSettings: clientSettings),
        .testTarget(
            name: "DrilldownClientTests",
            dependencies: ["DrilldownClient", "DrilldownPreviews", "TestClient", "drilldown", "TestSupport"],
            swiftSettings: settings),
    ]
)
