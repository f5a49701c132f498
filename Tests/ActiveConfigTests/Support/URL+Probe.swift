import Foundation

extension URL {
    /// URL of an executable target that tests run as a process; it is built next to the tests.
    ///
    /// - Parameter name: The name of the target.
    /// - Returns: Its path.
    static func probe(named name: String) -> URL {
        #if canImport(Darwin)
            let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
            let folder = (tests ?? Bundle.main).bundleURL.deletingLastPathComponent()
        #else
            let folder = Bundle.main.bundleURL
        #endif
        return folder.appending(path: name)
    }
}
