import Foundation
import TemplateStore

extension TemplateStoreConformance {
    /// The checks of ``TokenStoring``.
    public static var tokenChecks: [Check] {
        [
            Check("tokensAreKeptAsTheyAre", Self.tokensAreKeptAsTheyAre),
            Check("aTokenIsAddedOnce", Self.aTokenIsAddedOnce),
            Check("aNameIsThatOfOneValidToken", Self.aNameIsThatOfOneValidToken),
            Check("oneOfManyTokensOfANameIsAdded", Self.oneOfManyTokensOfANameIsAdded),
            Check("aTokenIsRevokedForGood", Self.aTokenIsRevokedForGood),
            Check("theUseOfATokenIsKeptToTheMinute", Self.theUseOfATokenIsKeptToTheMinute),
        ]
    }

    /// Tokens keep all their fields, oldest first.
    public func tokensAreKeptAsTheyAre() async throws {
        try await onNewStore { trial in
            var tokens = ["z", "a", "", "a\0b", "é"].map { StoreTrial.token($0) }
            tokens += StoredToken.Role.allCases.map { role in
                StoredToken(
                    id: "\(role)", name: "name of \(role)", role: role,
                    hash: Data(role.rawValue.utf8) + [0, 0xFF],
                    creationDate: StoreTrial.date)
            }
            for owner in ["Ada", "é", "e\u{301}", "a\0b"] {
                tokens += [false, true].map { mayBypass in
                    let name = "\(owner.utf8.count) \(owner) \(mayBypass)"
                    return StoredToken(
                        id: name, name: name, role: .publisher, owner: owner,
                        creator: "creator of \(owner)", identity: "identity of \(owner)",
                        mayBypass: mayBypass, hash: Data(name.utf8), creationDate: StoreTrial.date)
                }
            }
            for token in tokens { try await trial.store.addToken(token, actor: "root") }
            let found = try await trial.reopen().tokens()
            try trial.expect(found, is: tokens, "Tokens are returned unchanged, oldest first.")
        }
    }

    /// A token with the identifier or the hash of another is refused.
    public func aTokenIsAddedOnce() async throws {
        try await onNewStore { trial in
            let token = StoreTrial.token("t")
            try await trial.store.addToken(token, actor: "root")
            let before = try await trial.revision()
            let sameID = StoredToken(
                id: token.id, name: "n", role: .viewer, hash: Data([1]),
                creationDate: StoreTrial.date)
            let sameHash = StoredToken(
                id: "another", name: "n", role: .viewer, hash: token.hash,
                creationDate: StoreTrial.date)
            let rule = "A token with the identifier or the hash of another is refused."
            for other in [token, sameID, sameHash] {
                try await trial.expectError(.tokenExists, rule) { () throws(TemplateStoreError) in
                    try await trial.store.addToken(other, actor: "root")
                }
            }
            try trial.expect(try await trial.store.tokens(), is: [token], rule)
            try trial.expect(try await trial.revision(), is: before, rule)
        }
    }

    /// A token with the name of a valid one is refused; names that look alike are equal.
    public func aNameIsThatOfOneValidToken() async throws {
        try await onNewStore { trial in
            func token(_ name: String, _ number: Int, date: Date) -> StoredToken {
                StoredToken(
                    id: "\(number)", name: name, role: .viewer, hash: Data("\(number)".utf8),
                    creationDate: date, expirationDate: date + 60)
            }
            let date = StoreTrial.date
            let rule = "Only one valid token has a name."
            try await trial.store.addToken(token("é", 1, date: date), actor: "root")
            let before = try await trial.revision()
            for (number, name) in ["é", "e\u{301}"].enumerated() {
                let error = try await trial.expectError(.tokenNameExists, rule) {
                    () throws(TemplateStoreError) in
                    try await trial.store.addToken(
                        token(name, 2 + number, date: date + 59.999), actor: "root")
                }
                try trial.expect(
                    error.message.contains(name), "The error has the name.", found: error.message)
            }
            try trial.expect(try await trial.revision(), is: before, rule)
            try await trial.store.addToken(token("e", 4, date: date), actor: "root")
            // A name is free again after its token's expiry or revocation.
            try await trial.store.addToken(token("é", 5, date: date + 60), actor: "root")
            _ = try await trial.store.revokeToken(id: "5", actor: "root", date: date + 61)
            try await trial.store.addToken(token("é", 6, date: date + 61), actor: "root")
        }
    }

    /// Of concurrent tokens with one name, exactly one is added.
    public func oneOfManyTokensOfANameIsAdded() async throws {
        try await onNewStore { trial in
            let rule = "One of many concurrent tokens of a name is added."
            for round in 0..<4 {
                let added = try await trial.onlyOneSucceeds(rule, elseFailing: .tokenNameExists) {
                    store, number throws(TemplateStoreError) in
                    let token = StoredToken(
                        id: "\(round) \(number)", name: "\(round)", role: .viewer,
                        hash: Data("\(round) \(number)".utf8), creationDate: StoreTrial.date)
                    try await store.addToken(token, actor: "root")
                    return token
                }
                try trial.expect(try await trial.store.tokens().last, is: added, rule)
            }
        }
    }

    /// A token is revoked once, and stays in the list.
    public func aTokenIsRevokedForGood() async throws {
        try await onNewStore { trial in
            let store = trial.store
            for name in ["t", "u"] {
                try await store.addToken(StoreTrial.token(name), actor: "root")
            }
            let date = StoreTrial.date
            let isUnknown = try await store.revokeToken(id: "t", actor: "root", date: date)
            try trial.expect(isUnknown, is: false, "There is no token to revoke.")
            let isCut = try await store.revokeToken(id: "id of t\0", actor: "root", date: date)
            try trial.expect(isCut, is: false, "Identifiers are compared byte by byte.")
            let isFound = try await store.revokeToken(id: "id of t", actor: "root", date: date)
            try trial.expect(isFound, is: true, "A token is revoked.")
            let before = try await trial.revision()
            let again = try await store.revokeToken(id: "id of t", actor: "root", date: date + 9)
            let rule = "A token is revoked once."
            try trial.expect(again, is: true, rule)
            try trial.expect(try await trial.revision(), is: before, rule)
            let tokens = try await trial.reopen().tokens()
            try trial.expect(tokens.map(\.revocationDate), is: [date, nil], rule)
        }
    }

    /// The last use of a token is stored to the minute, and is not a change.
    public func theUseOfATokenIsKeptToTheMinute() async throws {
        try await onNewStore { trial in
            for name in ["t", "u"] {
                try await trial.store.addToken(StoreTrial.token(name), actor: "root")
            }
            let before = try await trial.revision()
            let date = StoreTrial.date
            let pause = Double(TemplateStoreLimits.secondsBetweenRecordedUses)
            let rows: [(use: Date, last: Date)] = [
                (date, date), (date + pause - 1, date), (date - pause, date),
                (date + pause, date + pause), (date + 10 * pause, date + 10 * pause),
            ]
            for (use, last) in rows {
                try await trial.store.recordUses(["id of t": use, "unknown": use])
                try trial.expect(
                    try await trial.store.tokens().map(\.lastUseDate), is: [last, nil],
                    "The last use is stored to the minute.")
            }
            try await trial.store.recordUses(["id of t": date + 9 * pause, "id of u": date])
            try trial.expect(
                try await trial.store.tokens().map(\.lastUseDate),
                is: [date + 10 * pause, date], "Each of several tokens has its last use.")
            try await trial.store.recordUses([:])
            try trial.expect(
                try await trial.revision(), is: before, "The use of a token is not a change.")
            let audit = try await trial.store.auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery())
            try trial.expect(audit.count, is: 2, "The use of a token is not in the audit trail.")
        }
    }
}
