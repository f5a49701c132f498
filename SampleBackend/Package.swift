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
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "ConfigServer",
            dependencies: [
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .executableTarget(
            name: "SampleBackend",
            dependencies: [
                "ConfigServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "ServerTestSupport",
            dependencies: [
                "ConfigServer",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/ServerTestSupport"
        ),
        .testTarget(
            name: "ConfigServerTests",
            dependencies: [
                "ConfigServer",
                "ServerTestSupport",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
            ]
        ),
        .testTarget(
            name: "SampleBackendTests",
            dependencies: ["SampleBackend", "ServerTestSupport"]
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

for target in package.targets {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
