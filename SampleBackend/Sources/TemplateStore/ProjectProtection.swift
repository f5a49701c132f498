import Foundation

/// The approvals that a publish in a project needs.
public struct ProjectProtection: Sendable, Hashable, Codable {
    /// The possible numbers of required approvals; a project without protection has none.
    public static let approvals = 1...10

    /// The number of people who must approve the content, 1 to 10.
    public var requiredApprovals: Int

    /// True when those who made or edited a change request may approve it.
    public var selfApproval: Bool

    /// True when the exact content of a published version may be published again without approvals.
    public var rollbackWithoutApproval: Bool

    /// Creates a protection.
    public init(
        requiredApprovals: Int = 1, selfApproval: Bool = false,
        rollbackWithoutApproval: Bool = false
    ) {
        self.requiredApprovals = requiredApprovals
        self.selfApproval = selfApproval
        self.rollbackWithoutApproval = rollbackWithoutApproval
    }
}

extension ProjectProtection {
    /// True when a change to another protection, or to none, permits a publish that this one
    /// refuses.
    package func isLowered(by other: ProjectProtection?) -> Bool {
        guard let other else { return true }
        return other.requiredApprovals < requiredApprovals
            || (other.selfApproval && !selfApproval)
            || (other.rollbackWithoutApproval && !rollbackWithoutApproval)
    }

    /// The protection in the audit trail.
    package var auditText: String {
        let parts = [
            "\(requiredApprovals) \(requiredApprovals == 1 ? "approval" : "approvals") to publish",
            selfApproval ? "own ones count" : nil,
            rollbackWithoutApproval ? "rollback without" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// The protection as engines store it.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // Encoding two flags and a number cannot fail; a text that is no JSON is read as damaged.
        return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self)
    }

    /// The protection in a stored text; nil for nil.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `damaged` for any other text: a protection that
    ///   cannot be read must not be lifted.
    package static func protection(
        inText text: String?
    ) throws(TemplateStoreError) -> ProjectProtection? {
        guard let text else { return nil }
        let found = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
        guard let found, approvals.contains(found.requiredApprovals) else {
            throw TemplateStoreError(
                .damaged, "The protection of a project cannot be read: restore a backup.")
        }
        return found
    }
}
