// swift-tools-version: 6.3

import PackageDescription

/// The products that targets use, by their packages.
let productsByPackage = [
    "ActiveConfig": [
        "ActiveConfig", "ActiveConfigEventStream", "ActiveConfigGeneration", "ActiveConfigJSON",
        "ActiveConfigRealtime", "ActiveConfigReporting", "ActiveConfigTrust",
    ],
    "async-http-client": ["AsyncHTTPClient"],
    "GRDB.swift": ["GRDB", "GRDBSQLite"],
    "jwt-kit": ["JWTKit"],
    "swift-argument-parser": ["ArgumentParser"],
    "swift-asn1": ["SwiftASN1"],
    "swift-certificates": ["X509"],
    "swift-collections": ["OrderedCollections"],
    "swift-crypto": ["Crypto"],
    "swift-http-types": ["HTTPTypes"],
    "swift-log": ["Logging"],
    "swift-metrics": ["CoreMetrics", "Metrics"],
    "swift-nio": [
        "NIOConcurrencyHelpers", "NIOCore", "NIOEmbedded", "NIOFoundationEssentialsCompat",
        "NIOHTTP1", "NIOPosix", "NIOTLS",
    ],
    "swift-nio-extras": ["NIOExtras", "NIOHTTPTypesHTTP1"],
    "swift-nio-ssl": ["NIOSSL"],
    "swift-service-lifecycle": ["ServiceLifecycle", "UnixSignals"],
]

/// Dependencies on products of other packages.
func products(_ names: String...) -> [Target.Dependency] {
    names.map { name in
        guard let package = productsByPackage.first(where: { $0.value.contains(name) })?.key else {
            fatalError("add the product \(name) to productsByPackage")
        }
        return .product(name: name, package: package)
    }
}

let package = Package(
    name: "SampleBackend",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "ActiveConfigEvaluation", targets: ["ActiveConfigEvaluation"]),
        .library(name: "ConfigServer", targets: ["ConfigServer"]),
        .executable(name: "sample-backend", targets: ["SampleBackend"]),
    ],
    dependencies: [
        .package(name: "ActiveConfig", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
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
            dependencies: products("ActiveConfig", "ActiveConfigJSON", "OrderedCollections")
        ),
        .target(name: "LinearRegex"),
        .target(name: "Targeting", dependencies: ["JSONTree", "LinearRegex"] + products("Crypto")),
        .target(
            name: "Templates",
            dependencies: ["JSONTree", "Targeting"] + products("ActiveConfig", "OrderedCollections")
        ),
        .target(
            name: "Rendering",
            dependencies: ["JSONTree", "Targeting", "Templates"]
                + products(
                    "ActiveConfig", "ActiveConfigJSON", "Crypto", "NIOConcurrencyHelpers",
                    "NIOCore", "NIOFoundationEssentialsCompat")
        ),
        .target(
            name: "ActiveConfigEvaluation",
            dependencies: ["JSONTree", "Rendering", "Targeting", "Templates"]
                + products(
                    "ActiveConfig", "ActiveConfigRealtime", "ActiveConfigTrust",
                    "NIOConcurrencyHelpers", "NIOCore", "NIOFoundationEssentialsCompat")
        ),
        .target(
            name: "TemplateStore",
            dependencies: ["JSONTree", "Templates"] + products("Crypto")
        ),
        .target(name: "InMemoryTemplateStore", dependencies: ["Templates", "TemplateStore"]),
        .target(name: "TemplateStoreTesting", dependencies: ["Templates", "TemplateStore"]),
        .target(
            name: "SQLiteTemplateStore",
            dependencies: ["Templates", "TemplateStore"]
                + products("Crypto", "GRDB", "GRDBSQLite")
        ),
        .target(
            name: "EtcdTemplateStore",
            dependencies: ["Templates", "TemplateStore"]
                + products(
                    "AsyncHTTPClient", "NIOCore", "NIOFoundationEssentialsCompat", "NIOHTTP1",
                    "NIOPosix", "NIOSSL")
        ),
        .target(name: "PrometheusMetrics", dependencies: products("CoreMetrics")),
        .target(
            name: "HTTPServing",
            dependencies: ["JSONTree"]
                + products(
                    "Crypto", "HTTPTypes", "Logging", "Metrics", "NIOConcurrencyHelpers", "NIOCore",
                    "NIOExtras",
                    "NIOFoundationEssentialsCompat", "NIOHTTP1", "NIOHTTPTypesHTTP1", "NIOPosix",
                    "NIOSSL", "ServiceLifecycle")
        ),
        .target(
            name: "ClientAPI",
            dependencies: [
                "HTTPServing", "JSONTree", "Rendering", "Targeting", "Templates", "TemplateStore",
            ]
                + products(
                    "ActiveConfig", "Crypto", "HTTPTypes", "JWTKit", "Logging", "Metrics",
                    "NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOPosix", "OrderedCollections"
                )
        ),
        .target(
            name: "WebhookDelivery",
            dependencies: ["HTTPServing", "JSONTree", "Templates", "TemplateStore"]
                + products(
                    "AsyncHTTPClient", "Crypto", "Logging", "Metrics", "NIOCore", "NIOHTTP1",
                    "NIOSSL", "ServiceLifecycle")
        ),
        .target(
            name: "OpenIDConnect",
            dependencies: ["ClientAPI", "HTTPServing", "JSONTree", "TemplateStore"]
                + products(
                    "AsyncHTTPClient", "Crypto", "NIOConcurrencyHelpers", "NIOCore",
                    "NIOFoundationEssentialsCompat", "NIOHTTP1", "NIOSSL")
        ),
        .target(
            name: "AdminAPI",
            dependencies: [
                "ClientAPI", "HTTPServing", "JSONTree", "OpenIDConnect", "Rendering", "Targeting",
                "Templates", "TemplateStore", "WebhookDelivery",
            ]
                + products(
                    "Crypto", "HTTPTypes", "Logging", "NIOConcurrencyHelpers", "NIOCore",
                    "NIOFoundationEssentialsCompat", "OrderedCollections")
        ),
        .target(
            name: "Console",
            dependencies: [
                "AdminAPI", "HTTPServing", "JSONTree", "OpenIDConnect", "Rendering",
                "TemplateStore",
            ] + products("HTTPTypes", "NIOCore"),
            exclude: ["Pages", "package.json"],
            plugins: ["EmbedFiles"]
        ),
        .target(
            name: "ConfigServer",
            dependencies: [
                "AdminAPI", "ClientAPI", "Console", "HTTPServing", "TemplateStore",
                "JSONTree", "OpenIDConnect", "WebhookDelivery",
            ] + products("HTTPTypes", "Logging", "Metrics", "NIOCore", "ServiceLifecycle"),
            exclude: ["Resources"],
            plugins: ["EmbedFiles"]
        ),
        .plugin(name: "EmbedFiles", capability: .buildTool(), dependencies: ["FileEmbedder"]),
        .executableTarget(name: "FileEmbedder", dependencies: ["PageBundling"]),
        .target(name: "PageBundling"),
        .executableTarget(
            name: "SampleBackend",
            dependencies: [
                "AdminAPI", "ClientAPI", "ConfigServer", "EtcdTemplateStore", "HTTPServing",
                "InMemoryTemplateStore", "JSONTree", "OpenIDConnect", "PrometheusMetrics",
                "Rendering", "SQLiteTemplateStore", "Targeting",
                "Templates", "TemplateStore",
            ]
                + products(
                    "ActiveConfig", "ActiveConfigEventStream", "ActiveConfigGeneration",
                    "ArgumentParser", "AsyncHTTPClient", "CoreMetrics", "HTTPTypes", "Logging",
                    "NIOCore", "NIOFoundationEssentialsCompat", "NIOHTTP1", "NIOPosix", "NIOSSL",
                    "OrderedCollections", "ServiceLifecycle", "SwiftASN1", "UnixSignals", "X509"),
            exclude: ["Resources"],
            plugins: ["EmbedFiles"]
        ),
        .testTarget(
            name: "JSONTreeTests",
            dependencies: ["JSONTree", "SeededRandomness"]
                + products("ActiveConfig", "OrderedCollections"),
            resources: [.copy("Fixtures")]
        ),
        .target(name: "SeededRandomness", path: "Tests/SeededRandomness"),
        .target(name: "ChildProcesses", path: "Tests/ChildProcesses"),
        .target(name: "TemporaryFolders", path: "Tests/TemporaryFolders"),
        .target(
            name: "ChunkedBodies", dependencies: products("NIOCore"), path: "Tests/ChunkedBodies"),
        .testTarget(name: "PageBundlingTests", dependencies: ["PageBundling"]),
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
            name: "EvaluationBenchmark",
            dependencies: [
                "ActiveConfigEvaluation", "ConfigServer", "HTTPServing", "InMemoryTemplateStore",
            ] + products("ActiveConfig", "ArgumentParser", "Logging", "ServiceLifecycle"),
            path: "Tests/EvaluationBenchmark"
        ),
        .executableTarget(
            name: "RequestStages",
            dependencies: [
                "ClientAPI", "ConfigServer", "HTTPServing", "InMemoryTemplateStore", "JSONTree",
                "Rendering", "Targeting", "TemplateStore", "Templates",
            ]
                + products(
                    "ArgumentParser", "Logging", "NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix"),
            path: "Tests/RequestStages"
        ),
        .executableTarget(
            name: "UpdaterLoad",
            dependencies: products("ActiveConfig", "ActiveConfigRealtime", "ArgumentParser"),
            path: "Tests/UpdaterLoad"
        ),
        .executableTarget(
            name: "StreamLoad",
            dependencies: ["ChunkedBodies", "JSONTree"]
                + products("ActiveConfigEventStream", "NIOCore", "NIOPosix"),
            path: "Tests/StreamLoad"
        ),
        .testTarget(
            name: "StreamLoadTests",
            dependencies: ["ChunkedBodies", "StreamLoad"] + products("NIOCore", "NIOEmbedded")
        ),
        .testTarget(
            name: "TemplatesTests",
            dependencies: ["JSONTree", "SeededRandomness", "Targeting", "Templates"]
                + products("ActiveConfig", "OrderedCollections"),
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "RenderingTests",
            dependencies: ["JSONTree", "Rendering", "SeededRandomness", "Targeting", "Templates"]
                + products("ActiveConfig", "NIOCore", "NIOFoundationEssentialsCompat"),
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "ActiveConfigEvaluationTests",
            dependencies: [
                "ActiveConfigEvaluation", "ClientAPI", "ConfigServer", "HTTPServing",
                "InMemoryTemplateStore", "JSONTree", "Rendering", "SeededRandomness",
                "ServerTestSupport", "Targeting",
                "TemplateStore", "Templates", "TemporaryFolders",
            ]
                + products(
                    "ActiveConfig", "ActiveConfigRealtime", "ActiveConfigReporting",
                    "ActiveConfigTrust", "Crypto", "Logging", "NIOCore",
                    "NIOFoundationEssentialsCompat", "ServiceLifecycle", "UnixSignals")
        ),
        .testTarget(
            name: "TemplateStoreTests",
            dependencies: [
                "InMemoryTemplateStore", "SeededRandomness", "SQLiteTemplateStore", "Templates",
                "TemplateStore", "TemplateStoreTesting", "TemporaryFolders",
            ] + products("Crypto", "GRDB")
        ),
        .target(
            name: "EtcdTestSupport",
            dependencies: ["ChildProcesses", "EtcdTemplateStore", "TemporaryFolders"]
                + products("NIOConcurrencyHelpers", "NIOCore", "NIOPosix"),
            path: "Tests/EtcdTestSupport"
        ),
        .testTarget(
            name: "EtcdTemplateStoreTests",
            dependencies: [
                "ChildProcesses", "EtcdTemplateStore", "EtcdTestSupport", "InMemoryTemplateStore",
                "SeededRandomness", "SQLiteTemplateStore", "Templates", "TemplateStore",
                "TemplateStoreTesting", "TemporaryFolders",
            ]
        ),
        .testTarget(
            name: "PrometheusMetricsTests",
            dependencies: ["PrometheusMetrics", "SeededRandomness"]
                + products("CoreMetrics", "Metrics")
        ),
        .target(
            name: "ServerTestSupport",
            dependencies: [
                "ChildProcesses", "ChunkedBodies", "ClientAPI", "ConfigServer", "HTTPServing",
                "InMemoryTemplateStore", "JSONTree", "Rendering", "SeededRandomness", "Targeting",
                "TemplateStore",
            ]
                + products(
                    "ActiveConfig", "ActiveConfigEventStream", "JWTKit", "Logging", "NIOCore",
                    "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOTLS", "ServiceLifecycle"),
            path: "Tests/ServerTestSupport"
        ),
        .testTarget(
            name: "OpenIDConnectTests",
            dependencies: [
                "ClientAPI", "HTTPServing", "JSONTree", "OpenIDConnect", "TemplateStore",
                "TemporaryFolders",
            ] + products("Crypto", "JWTKit", "NIOConcurrencyHelpers")
        ),
        .testTarget(
            name: "ConfigServerTests",
            dependencies: [
                "AdminAPI", "ClientAPI", "ConfigServer", "HTTPServing", "InMemoryTemplateStore",
                "JSONTree", "OpenIDConnect", "Rendering", "SeededRandomness", "ServerTestSupport",
                "SQLiteTemplateStore", "Targeting", "Templates", "TemplateStore",
                "TemporaryFolders", "WebhookDelivery",
            ]
                + products(
                    "ActiveConfig", "ActiveConfigEventStream", "ActiveConfigRealtime", "Crypto",
                    "GRDBSQLite", "HTTPTypes", "JWTKit", "Logging", "NIOConcurrencyHelpers",
                    "NIOCore", "NIOEmbedded", "NIOHTTP1", "OrderedCollections"),
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "SampleBackendTests",
            dependencies: [
                "AdminAPI", "ChildProcesses", "ConfigServer", "EtcdTemplateStore",
                "EtcdTestSupport", "HTTPServing", "InMemoryTemplateStore", "JSONTree",
                "SampleBackend",
                "SeededRandomness", "ServerTestSupport", "SQLiteTemplateStore", "TemplateStore",
                "TemplateStoreTesting", "Templates", "TemporaryFolders",
            ]
                + products(
                    "ActiveConfig", "ActiveConfigGeneration", "ActiveConfigRealtime",
                    "ActiveConfigReporting", "ActiveConfigTrust", "ArgumentParser", "Crypto",
                    "GRDB",
                    "JWTKit"),
            resources: [.copy("Fixtures")]
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

for target in package.targets where target.type != .plugin {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
