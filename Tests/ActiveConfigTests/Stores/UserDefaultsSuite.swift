import Foundation
import Testing

/// User defaults of one test's own, which go with it.
final class UserDefaultsSuite: Sendable {
    private let name = "ActiveConfigTests.\(UUID().uuidString)"

    deinit {
        UserDefaults(suiteName: name)?.removePersistentDomain(forName: name)
    }

    /// The user defaults, opened anew.
    func userDefaults() throws -> UserDefaults {
        try #require(UserDefaults(suiteName: name))
    }
}
