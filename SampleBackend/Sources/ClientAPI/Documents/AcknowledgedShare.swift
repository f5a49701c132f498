import HTTPTypes

/// The share of clients that the server asks to acknowledge versions (PROTOCOL 2).
package struct AcknowledgedShare: Sendable, Hashable {
    static let fieldName = "ActiveConfig-Acknowledge"

    /// Greater than 0 and at most 1.
    let share: Double

    package init(_ share: Double) {
        self.share = share
    }

    /// Adds the request for acknowledgements to a response.
    func addField(to fields: inout HTTPFields) {
        guard let name = HTTPField.Name(Self.fieldName) else { return }
        fields[name] = share >= 1 ? "1" : "\(share)"
    }
}
