// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "activeconfig-benchmarks", targets: ["ActiveConfigBenchmarks"])
    ],
    dependencies: [
        .package(name: "ActiveConfig", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    ],
    targets: [
        .target(name: "Measuring"),
        .target(name: "AllocationCount"),
        .executableTarget(
            name: "ActiveConfigBenchmarks",
            dependencies: [
                "AllocationCount",
                "Measuring",
                .product(name: "ActiveConfig", package: "ActiveConfig"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
            ]),
        .testTarget(
            name: "MeasuringTests",
            dependencies: ["Measuring"]),
    ],
    swiftLanguageModes: [.v6]
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

// Swift settings do not apply to C code.
for target in package.targets where target.name != "AllocationCount" {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
