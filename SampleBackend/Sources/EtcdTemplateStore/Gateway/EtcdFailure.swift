import Foundation
import TemplateStore

/// A call that etcd did not answer as expected.
struct EtcdFailure: Error, Sendable, CustomStringConvertible {
    /// The state of the request after the failure.
    enum Kind: Sendable, Hashable {
        /// It was not executed, and another member may succeed.
        case notMade
        /// It may have been executed, or may still be, minutes later.
        case unknown
        /// It was not executed, and repeating it is pointless.
        case refused
        /// The quota is exhausted; the write may have been made in spite of that, and has ended.
        case outOfSpace
        /// The revision is compacted.
        case compacted
        /// The lease has expired.
        case leaseMissing
        /// The lease exists already, since an earlier attempt created it.
        case leaseExists
        /// The token for the user is no longer valid.
        case unauthenticated
        /// The request is larger than the member accepts.
        case tooLarge
        /// The cluster is not the opened one.
        case otherCluster
        /// A value that this program cannot read.
        case damaged
    }

    let kind: Kind
    /// A sentence without a full stop.
    let reason: String

    var description: String { reason }

    init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// The failure for an error response.
    ///
    /// Decides by code and text; the HTTP status differs between etcd versions.
    init(_ body: EtcdErrorBody) {
        let text = body.message
        switch body.code {
        case 3 where text.contains("too large"): self.init(.tooLarge, text)
        // The gateway asks for a user when there is no token at all.
        case 3 where text.contains("user name is empty"): self.init(.unauthenticated, text)
        // etcd's users have changed since the token was created.
        case 3 where text.contains("revision of auth store is old"):
            self.init(.unauthenticated, text)
        case 3 where text.contains("authentication failed"): self.init(.unauthenticated, text)
        case 5 where text.contains("lease"): self.init(.leaseMissing, text)
        case 3, 5, 7, 12: self.init(.refused, "etcd says: \(text)")
        case 8 where text.contains("space exceeded"): self.init(.outOfSpace, text)
        case 8 where text.contains("larger than max"): self.init(.tooLarge, text)
        case 8 where text.contains("too many requests"): self.init(.notMade, text)
        case 9 where text.contains("lease already exists"): self.init(.leaseExists, text)
        case 9: self.init(.refused, "etcd says: \(text)")
        case 11 where text.contains("compacted"): self.init(.compacted, text)
        // The member lags behind.
        case 11 where text.contains("future revision"): self.init(.notMade, text)
        case 14 where text.contains("no leader"): self.init(.notMade, text)
        case 16: self.init(.unauthenticated, text)
        // An unknown code: the call may have been executed.
        default: self.init(.unknown, "etcd says: \(text)")
        }
    }

    /// True when another member may succeed.
    var isWorthRepeating: Bool { kind == .notMade || kind == .unknown }
}

extension TemplateStoreError {
    /// The error for a read, or for a write that definitely was not made.
    init(_ failure: EtcdFailure) {
        switch failure.kind {
        case .outOfSpace: self = .etcdIsFull(failure)
        case .otherCluster:
            self.init(
                .filesReplaced, failure.reason + ".",
                clientMessage:
                    "The store of the server in etcd was replaced, removed or restored from "
                    + "a backup while it runs, so it stores nothing more: check the "
                    + "cluster as its log advises, and restart it.")
        case .damaged:
            self.init(
                .damaged, "The store in etcd is damaged: restore a backup of the cluster.",
                underlyingError: failure)
        case .tooLarge:
            self.init(
                .unavailable,
                "etcd rejects the size of a request: start its members with a greater "
                    + "--max-request-bytes, or store less.", underlyingError: failure)
        case .unauthenticated:
            self.init(
                .unavailable,
                "etcd rejects the user: check user and password-file in --store.",
                underlyingError: failure)
        case .refused:
            self.init(
                .unavailable,
                "etcd rejects the request: check the address, the user and its "
                    + "permissions for the prefix.", underlyingError: failure)
        case .notMade, .unknown, .compacted, .leaseMissing, .leaseExists:
            self.init(
                .unavailable,
                "No member of the etcd cluster responds as expected: check that the majority of its "
                    + "members runs and can be reached.", underlyingError: failure)
        }
    }

    static func etcdIsFull(_ failure: EtcdFailure?) -> TemplateStoreError {
        TemplateStoreError(
            .outOfSpace,
            "The quota of the etcd cluster is used up, so nothing is stored: compact and defragment "
                + "it, raise --quota-backend-bytes, and disarm the alarm NOSPACE.",
            clientMessage: "The server cannot write, so nothing was stored: the quota of its etcd "
                + "cluster is used up; compact and defragment the cluster, or raise its quota, disarm "
                + "the alarm NOSPACE, and try again.",
            underlyingError: failure)
    }

    /// A write may have been made, or may still be made.
    static func outcomeUnknown(_ failure: EtcdFailure) -> TemplateStoreError {
        TemplateStoreError(
            .outcomeUnknown,
            "Whether the change is stored is not known yet, since the etcd cluster does not answer; "
                + "it is pending: check the audit trail before you repeat it.",
            underlyingError: failure)
    }

    static func damagedRecord(_ key: Data, _ error: (any Error)? = nil) -> TemplateStoreError {
        TemplateStoreError(
            .damaged,
            "The value of the key '\(key.shownKey)' in etcd cannot be read, or is not a value of "
                + "this program: restore a backup of the cluster.", underlyingError: error)
    }
}

extension Data {
    /// A key in error messages.
    var shownKey: String { String(decoding: prefix(200), as: UTF8.self) }
}
