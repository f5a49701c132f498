import HTTPTypes

/// The share of clients that are asked to acknowledge versions (PROTOCOL 2).
package struct AcknowledgedShare: Sendable, Hashable {
    static let fieldName = "ActiveConfig-Acknowledge"

    /// Above 0 and at most 1.
    let share: Double

    package init(_ share: Double) {
        self.share = share
    }

    /// Asks for it in an answer.
    func addField(to fields: inout HTTPFields) {
        guard let name = HTTPField.Name(Self.fieldName) else { return }
        fields[name] = share >= 1 ? "1" : "\(share)"
    }
}
