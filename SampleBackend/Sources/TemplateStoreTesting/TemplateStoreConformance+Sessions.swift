import Foundation
import TemplateStore

extension TemplateStoreConformance {
    /// The checks of ``SessionStoring``.
    public static var sessionChecks: [Check] {
        [
            Check("sessionsAreKeptAsTheyAre", Self.sessionsAreKeptAsTheyAre),
            Check("aSessionIsAddedOnce", Self.aSessionIsAddedOnce),
            Check("anEndedSessionIsRemoved", Self.anEndedSessionIsRemoved),
            Check("anExpiredSessionIsRemoved", Self.anExpiredSessionIsRemoved),
            Check("sessionsEndWithTheirToken", Self.sessionsEndWithTheirToken),
            Check("sessionsAreChangesOfTheirOwn", Self.sessionsAreChangesOfTheirOwn),
            Check("failedSignInsAreInTheAuditTrail", Self.failedSignInsAreInTheAuditTrail),
        ]
    }

    /// Sessions keep all their fields.
    public func sessionsAreKeptAsTheyAre() async throws {
        try await onNewStore { trial in
            let sessions =
                ["a", "", "a\0b", "é"].map { StoreTrial.session($0) }
                + [StoreTrial.session("p", person: StoreTrial.person)]
            for session in sessions { try await trial.store.addSession(session, actor: "root") }
            let other = try await trial.reopen()
            let rule = "Sessions are returned unchanged."
            for session in sessions {
                try trial.expect(try await other.session(id: session.id), is: session, rule)
            }
            let all = try await other.sessions(lastingAt: StoreTrial.date)
            try trial.expect(Set(all), is: Set(sessions), rule)
            try trial.expect(try await other.tokens(), is: [], "A session is not a token.")
            try trial.expect(
                try await other.session(id: "id of a\0"), is: nil,
                "There is no session with another identifier.")
        }
    }

    /// A session with the identifier or the hash of another is refused.
    public func aSessionIsAddedOnce() async throws {
        try await onNewStore { trial in
            let session = StoreTrial.session("s")
            try await trial.store.addSession(session, actor: "root")
            let before = try await trial.revision()
            let rule = "A session with the identifier or the hash of another is refused."
            for (id, hash) in [
                (session.id, session.hash), (session.id, Data([1])), ("another", session.hash),
            ] {
                let other = StoredSession(
                    id: id, tokenID: "t", name: "n", role: .viewer, hash: hash,
                    creationDate: StoreTrial.date, expirationDate: StoreTrial.date + 1)
                try await trial.expectError(.tokenExists, rule) { () throws(TemplateStoreError) in
                    try await trial.store.addSession(other, actor: "root")
                }
            }
            let sessions = try await trial.store.sessions(lastingAt: StoreTrial.date)
            try trial.expect(sessions, is: [session], rule)
            try trial.expect(try await trial.revision(), is: before, rule)
        }
    }

    /// An ended session is removed, and ended only once.
    public func anEndedSessionIsRemoved() async throws {
        try await onNewStore { trial in
            let store = trial.store
            for name in ["s", "t"] {
                try await store.addSession(StoreTrial.session(name), actor: "root")
            }
            let date = StoreTrial.date
            let isUnknown = try await store.removeSession(id: "s", actor: "root", date: date)
            try trial.expect(isUnknown, is: false, "There is no session to end.")
            let isFound = try await store.removeSession(id: "id of s", actor: "root", date: date)
            try trial.expect(isFound, is: true, "A session is ended.")
            let before = try await trial.revision()
            let again = try await store.removeSession(id: "id of s", actor: "root", date: date)
            try trial.expect(again, is: false, "A session is ended once.")
            try trial.expect(try await trial.revision(), is: before, "A session is ended once.")
            let other = try await trial.reopen()
            let sessions = try await other.sessions(lastingAt: date)
            try trial.expect(
                sessions, is: [StoreTrial.session("t")], "An ended session is not kept.")
            try trial.expect(
                try await other.session(id: "id of s"), is: nil, "An ended session is not kept.")
        }
    }

    /// An expired session is no longer listed; the next session removes it.
    public func anExpiredSessionIsRemoved() async throws {
        try await onNewStore { trial in
            let store = trial.store
            let session = StoreTrial.session("s")
            try await store.addSession(session, actor: "root")
            let end = session.expirationDate
            for (date, expected) in [(end - 0.001, [session]), (end, [])] {
                try trial.expect(
                    try await store.sessions(lastingAt: date), is: expected,
                    "A session lasts until its expiry.")
            }
            let next = StoreTrial.session("t", date: end)
            try await store.addSession(next, actor: "root")
            try trial.expect(
                try await trial.reopen().sessions(lastingAt: StoreTrial.date), is: [next],
                "An expired session is removed by the next one.")
            // Its identifier and its hash can be used again.
            try await store.addSession(StoreTrial.session("s", date: end), actor: "root")
        }
    }

    /// Sessions end with their token.
    public func sessionsEndWithTheirToken() async throws {
        try await onNewStore { trial in
            let date = StoreTrial.date
            for name in ["t", "u"] {
                try await trial.store.addToken(StoreTrial.token(name), actor: "root")
                for number in 0..<2 {
                    try await trial.store.addSession(
                        StoredSession(
                            id: "\(name)\(number)", tokenID: "id of \(name)", name: name,
                            role: .editor, hash: Data("\(name)\(number)".utf8), creationDate: date,
                            expirationDate: date + 60), actor: "root")
                }
            }
            _ = try await trial.store.revokeToken(id: "id of t", actor: "root", date: date)
            let sessions = try await trial.reopen().sessions(lastingAt: date)
            try trial.expect(
                sessions.map(\.id).sorted(), is: ["u0", "u1"],
                "Sessions are removed with their token.")
        }
    }

    /// A session is a change with its identifier, and has an audit entry.
    public func sessionsAreChangesOfTheirOwn() async throws {
        try await onNewStore { trial in
            let changes = trial.store.changes(since: .zero)
            try await trial.store.addSession(
                StoreTrial.session("s\0", person: StoreTrial.person), actor: "root")
            _ = try await trial.store.removeSession(
                id: "id of s\0", actor: "ada", date: StoreTrial.date + 1)
            let found = try await trial.next(2, of: changes)
            let subject = StoreChange.Subject.session(id: "id of s\0")
            try trial.expect(
                found.map(\.subject), is: [subject, subject], "A session is a separate change.")
            let entries = try await trial.reopen().auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery())
            typealias Line = (Date, String, AuditEntry.Action, String?)
            let lines: [Line] = [
                (
                    StoreTrial.date, "root", .createToken,
                    "editor, subject 1 of https://login.example"
                ),
                (StoreTrial.date + 1, "ada", .revokeToken, nil),
            ]
            let expected = zip(found.map(\.revision), lines).map { revision, line in
                AuditEntry(
                    revision: revision, project: nil, date: line.0, actor: line.1, action: line.2,
                    subject: "s\0", detail: line.3)
            }
            try trial.expect(
                entries, is: expected.reversed(), "The audit trail records who signed in and out.")
        }
    }

    /// Failed attempts to sign in have one entry together, and change no session.
    public func failedSignInsAreInTheAuditTrail() async throws {
        try await onNewStore { trial in
            let date = StoreTrial.date
            try await trial.store.addSession(StoreTrial.session("s"), actor: "root")
            let revision = try await trial.revision()
            var failed = FailedSignIns(since: date)
            failed.add(from: "192.0.2.1", at: date)
            try await trial.store.recordFailedSignIns(failed)
            for number in 1...4 { failed.add(from: "192.0.2.\(number)", at: date + 60) }
            try await trial.store.recordFailedSignIns(failed)
            let changes = try await trial.next(2, of: trial.store.changes(since: revision))
            for case .session(let id) in changes.map(\.subject) {
                try trial.expect(
                    try await trial.store.session(id: id), is: nil,
                    "Failed attempts to sign in are changes of no session.")
            }
            let entries = try await trial.reopen().auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery(actions: [.failedSignIn]))
            let lines = [
                (date, "192.0.2.1", "1 attempt"),
                (
                    date + 60, "192.0.2.1, 192.0.2.2, 192.0.2.3, others",
                    "5 attempts since 2023-11-14T22:13:20.000Z"
                ),
            ]
            let expected = zip(changes, lines).map { change, line in
                AuditEntry(
                    revision: change.revision, project: nil, date: line.0, actor: "",
                    action: .failedSignIn, subject: line.1, detail: line.2)
            }
            try trial.expect(
                entries, is: expected.reversed(),
                "Failed attempts to sign in have one entry together.")
        }
    }
}
