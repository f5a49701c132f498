public import Foundation
import JSONTree

/// Failed attempts to sign in to the console, which one entry of the audit trail records together.
///
/// It never has the tokens that were tried: they may be valid elsewhere, or nearly valid here.
public struct FailedSignIns: Sendable, Hashable {
    /// Maximum number of addresses that are named.
    package static let maximumAddresses = 3

    /// The number of attempts.
    public private(set) var count = 0

    /// The first addresses from which the attempts came.
    public private(set) var addresses: [String] = []

    /// True when attempts came from more addresses than ``addresses`` names.
    public private(set) var hasMoreAddresses = false

    /// The time of the first attempt.
    public let startDate: Date

    /// The time of the last attempt.
    public private(set) var endDate: Date

    /// Creates a record without an attempt.
    public init(since date: Date) {
        startDate = date
        endDate = date
    }

    /// Adds an attempt; its address is nil when it is unknown.
    public mutating func add(from address: String?, at date: Date) {
        count += 1
        endDate = max(endDate, date)
        guard let address, !addresses.contains(address) else { return }
        if addresses.count < Self.maximumAddresses {
            addresses.append(address)
        } else {
            hasMoreAddresses = true
        }
    }

    /// Both as one, without naming an address twice; `later` began later.
    package func merged(with later: FailedSignIns) -> FailedSignIns {
        var merged = self
        for address in later.addresses { merged.add(from: address, at: later.endDate) }
        merged.count = count + later.count
        merged.endDate = max(endDate, later.endDate)
        merged.hasMoreAddresses = merged.hasMoreAddresses || later.hasMoreAddresses
        return merged
    }
}

extension AuditEntry {
    package init(of failed: FailedSignIns, revision: StoreRevision) {
        let names = failed.addresses + (failed.hasMoreAddresses ? ["others"] : [])
        let attempts =
            failed.count == 1
            ? "1 attempt" : "\(failed.count) attempts since \(failed.startDate.timestamp)"
        self.init(
            revision: revision, project: nil, date: failed.endDate.roundedToMilliseconds,
            actor: "", action: .failedSignIn,
            subject: names.isEmpty ? "unknown address" : names.joined(separator: ", "),
            detail: attempts)
    }
}
