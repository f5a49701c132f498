// swift-tools-version: 6.3

import PackageDescription

var settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
    .enableUpcomingFeature("ImmutableWeakCaptures"),  // SE-0481
    .strictMemorySafety(),  // SE-0458
]

// A newer compiler's new warnings must not break a checkout, so only the checks ask for this. In a
// dependency, the build system swiftbuild suppresses warnings, which no warning as an error goes with.
if Context.environment["STRICT"] != nil {
    settings += [
        .treatAllWarnings(as: .error),
        .treatWarning("ExplicitSendable", as: .error),  // SE-0443
    ]
}

// The thread sanitizer reports a false race for every critical section of Synchronization.Mutex on
// Linux; under it, `Locked` is built over a pthread lock instead.
if Context.environment["ACTIVECONFIG_PTHREAD_LOCK"] != nil {
    settings.append(.define("ACTIVECONFIG_PTHREAD_LOCK"))
}

let package = Package(
    name: "ActiveConfig",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "ActiveConfig", targets: ["ActiveConfig"]),
        .library(name: "ActiveConfigRealtime", targets: ["ActiveConfigRealtime"]),
        .library(name: "ActiveConfigTrust", targets: ["ActiveConfigTrust"]),
        .library(name: "ActiveConfigReporting", targets: ["ActiveConfigReporting"]),
        .library(name: "ActiveConfigJSON", targets: ["ActiveConfigJSON"]),
        .library(name: "ActiveConfigEventStream", targets: ["ActiveConfigEventStream"]),
        .library(name: "ActiveConfigTesting", targets: ["ActiveConfigTesting"]),
        .library(name: "ActiveConfigGeneration", targets: ["ActiveConfigGeneration"]),
        .plugin(name: "GenerateSettings", targets: ["GenerateSettings"]),
        .executable(name: "ActiveConfigSampleApp", targets: ["ActiveConfigSampleApp"]),
    ],
    targets: [
        .target(name: "ActiveConfigJSON"),
        .target(name: "ActiveConfigEventStream"),
        .target(name: "ActiveConfig", dependencies: ["ActiveConfigJSON"]),
        .target(
            name: "ActiveConfigRealtime",
            dependencies: ["ActiveConfig", "ActiveConfigEventStream"]),
        .target(name: "ActiveConfigTrust", dependencies: ["ActiveConfig"]),
        .target(name: "ActiveConfigReporting", dependencies: ["ActiveConfig"]),
        .target(
            name: "ActiveConfigTesting",
            dependencies: ["ActiveConfig", "ActiveConfigRealtime"]),
        .target(
            name: "ActiveConfigGeneration", dependencies: ["ActiveConfig", "ActiveConfigJSON"]),
        .executableTarget(
            name: "ActiveConfigGenerator", dependencies: ["ActiveConfigGeneration"]),
        // In Sources, since a folder Plugins would be another one at the top.
        .plugin(
            name: "GenerateSettings", capability: .buildTool(),
            dependencies: ["ActiveConfigGenerator"], path: "Sources/GenerateSettings"),
        .executableTarget(
            name: "ActiveConfigSampleApp", dependencies: ["ActiveConfig", "ActiveConfigRealtime"],
            resources: [.copy("../../Bootstrap/InitialActiveConfig.json")],
            plugins: ["GenerateSettings"]),
        .executableTarget(
            name: "StoreProbe", dependencies: ["ActiveConfig"], path: "Tests/StoreProbe"),
        .executableTarget(
            name: "DownloadProbe", dependencies: ["ActiveConfig", "ActiveConfigRealtime"],
            path: "Tests/DownloadProbe"),
        .executableTarget(
            name: "CrashProbe", dependencies: ["ActiveConfig", "ActiveConfigTrust"],
            path: "Tests/CrashProbe"),
        .testTarget(name: "ActiveConfigJSONTests", dependencies: ["ActiveConfigJSON"]),
        .testTarget(
            name: "ActiveConfigEventStreamTests", dependencies: ["ActiveConfigEventStream"]),
        .testTarget(
            name: "ActiveConfigTests",
            dependencies: [
                "ActiveConfig", "ActiveConfigJSON", "ActiveConfigRealtime", "ActiveConfigReporting",
                "ActiveConfigTesting", "ActiveConfigTrust", "StoreProbe", "DownloadProbe",
                "CrashProbe",
            ],
            resources: [.copy("Fixtures")]),
        .testTarget(
            name: "ActiveConfigGenerationTests",
            dependencies: ["ActiveConfig", "ActiveConfigGeneration", "ActiveConfigTesting"],
            exclude: ["Generated"], resources: [.copy("Fixtures")], plugins: ["GenerateSettings"]),
    ],
    swiftLanguageModes: [.v6]
)

// The plug-in's tool is a second build of the framework. A check that runs without it compiles what the
// plug-in would generate for the tests from `Generated`.
if Context.environment["ACTIVECONFIG_WITHOUT_PLUGIN"] != nil {
    let users = package.targets.filter { $0.plugins != nil }
    for target in users where target.type == .test {
        target.plugins = nil
        target.exclude = []
    }
    package.targets.removeAll { $0.type == .plugin || $0.plugins != nil }
    package.products.removeAll { ["GenerateSettings", "ActiveConfigSampleApp"].contains($0.name) }
}

for target in package.targets where target.type != .plugin {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
