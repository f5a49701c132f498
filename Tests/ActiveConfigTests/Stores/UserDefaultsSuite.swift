import Foundation
import Testing

/// User defaults for one test, removed when the object is released.
final class UserDefaultsSuite: Sendable {
    private let name = "ActiveConfigTests.\(UUID().uuidString)"

    deinit {
        UserDefaults(suiteName: name)?.removePersistentDomain(forName: name)
    }

    /// Opens the suite again.
    func userDefaults() throws -> UserDefaults {
        try #require(UserDefaults(suiteName: name))
    }
}
