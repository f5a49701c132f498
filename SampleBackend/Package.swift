// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "SampleBackend",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "ConfigServer", targets: ["ConfigServer"]),
        .executable(name: "sample-backend", targets: ["SampleBackend"]),
    ],
    dependencies: [
        .package(name: "ActiveConfig", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .target(
            name: "JSONTree",
            dependencies: [
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "ActiveConfigJSON", package: "ActiveConfig"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(name: "LinearRegex"),
        .target(
            name: "Targeting",
            dependencies: [
                "JSONTree", "LinearRegex",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "Templates",
            dependencies: [
                "JSONTree", "Targeting",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "Rendering",
            dependencies: [
                "JSONTree", "Targeting", "Templates",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "TemplateStore",
            dependencies: ["Templates"]
        ),
        .target(
            name: "InMemoryTemplateStore",
            dependencies: ["Templates", "TemplateStore"]
        ),
        .target(
            name: "TemplateStoreTesting",
            dependencies: ["Templates", "TemplateStore"]
        ),
        .target(
            name: "SQLiteTemplateStore",
            dependencies: [
                "Templates", "TemplateStore",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        .target(
            name: "PrometheusMetrics",
            dependencies: [.product(name: "CoreMetrics", package: "swift-metrics")]
        ),
        .target(
            name: "HTTPServing",
            dependencies: [
                "JSONTree",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "ClientAPI",
            dependencies: [
                "HTTPServing", "JSONTree", "Rendering", "Targeting", "Templates", "TemplateStore",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "WebhookDelivery",
            dependencies: [
                "HTTPServing", "JSONTree", "Templates", "TemplateStore",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "AdminAPI",
            dependencies: [
                "ClientAPI", "HTTPServing", "JSONTree", "Rendering", "Targeting", "Templates",
                "TemplateStore", "WebhookDelivery",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "Console",
            dependencies: [
                "AdminAPI", "HTTPServing", "JSONTree", "Rendering", "TemplateStore",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            exclude: ["Pages"],
            plugins: ["EmbedConsolePages"]
        ),
        .target(
            name: "ConfigServer",
            dependencies: [
                "AdminAPI", "ClientAPI", "Console", "HTTPServing", "TemplateStore",
                "WebhookDelivery",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Resources/openapi.json")]
        ),
        .plugin(
            name: "EmbedConsolePages", capability: .buildTool(), dependencies: ["EmbedPages"]),
        .executableTarget(name: "EmbedPages"),
        .executableTarget(
            name: "SampleBackend",
            dependencies: [
                "AdminAPI", "ClientAPI", "ConfigServer", "HTTPServing", "InMemoryTemplateStore",
                "JSONTree", "PrometheusMetrics", "Rendering", "SQLiteTemplateStore", "Targeting",
                "Templates", "TemplateStore",
                .product(name: "ActiveConfigEventStream", package: "ActiveConfig"),
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "ActiveConfigGeneration", package: "ActiveConfig"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Resources/SampleTemplate.json")]
        ),
        .testTarget(
            name: "JSONTreeTests",
            dependencies: [
                "JSONTree", .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]
        ),
        .target(name: "SeededRandomness", path: "Tests/SeededRandomness"),
        .target(name: "TemporaryFolders", path: "Tests/TemporaryFolders"),
        .testTarget(
            name: "LinearRegexTests",
            dependencies: ["LinearRegex", "SeededRandomness"],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "TargetingTests",
            dependencies: ["JSONTree", "SeededRandomness", "Targeting"],
            resources: [.copy("Fixtures")]
        ),
        .executableTarget(
            name: "TargetingBenchmark",
            dependencies: ["Targeting"],
            path: "Tests/TargetingBenchmark"
        ),
        .executableTarget(
            name: "UpdaterLoad",
            dependencies: [
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/UpdaterLoad"
        ),
        .executableTarget(
            name: "StreamLoad",
            dependencies: [
                "JSONTree",
                .product(name: "ActiveConfigEventStream", package: "ActiveConfig"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            path: "Tests/StreamLoad"
        ),
        .testTarget(
            name: "StreamLoadTests",
            dependencies: [
                "StreamLoad",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "TemplatesTests",
            dependencies: [
                "JSONTree", "SeededRandomness", "Targeting", "Templates",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "RenderingTests",
            dependencies: [
                "JSONTree", "Rendering", "SeededRandomness", "Targeting", "Templates",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "TemplateStoreTests",
            dependencies: [
                "InMemoryTemplateStore", "SQLiteTemplateStore", "Templates", "TemplateStore",
                "TemplateStoreTesting", "TemporaryFolders",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "PrometheusMetricsTests",
            dependencies: [
                "PrometheusMetrics",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Metrics", package: "swift-metrics"),
            ]
        ),
        .target(
            name: "ServerTestSupport",
            dependencies: [
                "ClientAPI", "ConfigServer", "HTTPServing", "InMemoryTemplateStore", "JSONTree",
                "Rendering", "SeededRandomness", "Targeting", "TemplateStore",
                .product(name: "ActiveConfigEventStream", package: "ActiveConfig"),
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/ServerTestSupport"
        ),
        .testTarget(
            name: "ConfigServerTests",
            dependencies: [
                "AdminAPI", "ClientAPI", "ConfigServer", "HTTPServing",
                "InMemoryTemplateStore", "JSONTree", "Rendering", "SeededRandomness",
                "SQLiteTemplateStore", "ServerTestSupport", "Targeting", "TemplateStore",
                "Templates", "TemporaryFolders", "WebhookDelivery",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "SampleBackendTests",
            dependencies: [
                "AdminAPI", "ConfigServer", "HTTPServing", "InMemoryTemplateStore",
                "JSONTree", "SampleBackend", "SeededRandomness",
                "ServerTestSupport", "TemplateStore", "TemporaryFolders",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "ActiveConfigGeneration", package: "ActiveConfig"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]
        ),
    ]
)

// Upcoming language features, each by its proposal.
let settings: [SwiftSetting] = {
    var settings: [SwiftSetting] = [
        .enableUpcomingFeature("ExistentialAny"),  // SE-0335
        .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
        .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
        .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
        .enableUpcomingFeature("ImmutableWeakCaptures"),  // SE-0481
        .strictMemorySafety(),  // SE-0458
        .treatWarning("ExplicitSendable", as: .error),  // SE-0443
    ]
    if Context.environment["STRICT"] != nil {
        settings.append(.treatAllWarnings(as: .error))
    }
    return settings
}()

// The address sanitizer looks at code that uses pointers, most of which lies below the server. Without
// the server there are no TLS libraries to build, which take longer than all else.
if Context.environment["ACTIVECONFIG_WITHOUT_SERVER"] != nil {
    let server = [
        "HTTPServing", "ClientAPI", "WebhookDelivery", "AdminAPI", "Console", "ConfigServer",
        "EmbedConsolePages", "EmbedPages", "SampleBackend", "ServerTestSupport",
        "ConfigServerTests", "SampleBackendTests", "StreamLoad", "StreamLoadTests",
    ]
    package.targets.removeAll { server.contains($0.name) }
    package.products = []
}

for target in package.targets where target.type != .plugin {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
