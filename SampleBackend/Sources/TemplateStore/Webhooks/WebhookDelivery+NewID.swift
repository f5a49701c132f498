import Foundation

extension WebhookDelivery {
    /// An identifier that no other delivery has.
    package static func newID() -> String { UUID().uuidString.lowercased() }
}
