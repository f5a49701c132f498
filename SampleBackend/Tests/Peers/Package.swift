// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "Peers",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "Peers", targets: ["Peers"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "Peers",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
