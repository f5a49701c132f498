// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "SwiftConfiguration",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ActiveConfig", path: "../.."),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "ConfigurationActiveConfig",
            dependencies: [
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "Configuration", package: "swift-configuration"),
            ]),
        // The files of articles, as a package of a user has them.
        .target(
            name: "Shop",
            dependencies: [
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "ActiveConfigRealtime", package: "ActiveConfig"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "SwiftConfigurationTests",
            dependencies: [
                "ConfigurationActiveConfig",
                "Shop",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "ActiveConfigRealtime", package: "ActiveConfig"),
                .product(name: "ActiveConfigTesting", package: "ActiveConfig"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "ConfigurationTesting", package: "swift-configuration"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

let strict = Context.environment["STRICT"] != nil

// Upcoming language features, each by its proposal.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
    .enableUpcomingFeature("ImmutableWeakCaptures"),  // SE-0481
    .strictMemorySafety(),  // SE-0458
    .treatWarning("ExplicitSendable", as: .error),  // SE-0443
]

for target in package.targets {
    // The articles' files must compile without these.
    if target.name != "Shop" { target.swiftSettings = settings }
    if strict {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}
