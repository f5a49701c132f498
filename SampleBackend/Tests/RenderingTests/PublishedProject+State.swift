import ActiveConfig
import Foundation
import NIOCore
import NIOFoundationEssentialsCompat
import Rendering
import Targeting
import Testing

extension PublishedProject {
    /// A user's document as the framework reads it; records an issue and returns an empty one if it
    /// cannot.
    func state(for context: TargetingContext) -> ConfigurationState {
        do {
            return try ConfigurationState(
                jsonData: Data(buffer: rendered(for: context).document.jsonBytes))
        } catch {
            Issue.record(error)
            return ConfigurationState()
        }
    }
}
