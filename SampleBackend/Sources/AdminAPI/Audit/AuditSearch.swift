import Foundation
import HTTPServing
import JSONTree
import TemplateStore

/// A filter of the audit trail; an entry must meet all of its parts.
struct AuditSearch: Sendable {
    /// Maximum length of the texts, in characters.
    private static let maximumLength = 200

    /// The texts by which the console shows actions, which searches find too.
    static let shownActions = [
        "PUBLISH": "Publish", "ROLLBACK": "Rollback", "UNDO": "Undo",
        "SET_OVERRIDES": "Pin values",
        "REMOVE_OVERRIDES": "Remove pinned values", "SIGN_IN": "Sign in", "SIGN_OUT": "Sign out",
        "FAILED_SIGN_IN": "Failed sign-in", "RAISE_VERSIONS": "Raise versions",
        "CREATE_TOKEN": "Create token",
        "REVOKE_TOKEN": "Revoke token", "CREATE_WEBHOOK": "Add webhook",
        "REMOVE_WEBHOOK": "Remove webhook", "CREATE_PROJECT": "Create project",
        "SET_PROJECT_DETAILS": "Change project details", "DELETE_PROJECT": "Delete project",
        "CREATE_CHANGE_REQUEST": "Make change request",
        "EDIT_CHANGE_REQUEST": "Edit change request",
        "APPROVE_CHANGE_REQUEST": "Approve change request",
        "REJECT_CHANGE_REQUEST": "Request changes",
        "COMMENT_CHANGE_REQUEST": "Comment on change request",
        "CLOSE_CHANGE_REQUEST": "Close change request",
        "SCHEDULE_PUBLISH": "Schedule publish",
        "CANCEL_SCHEDULED_PUBLISH": "Cancel scheduled publish",
        "WARN_OF_LACKING_APPROVALS": "Scheduled, approvals lacking",
        "END_SCHEDULED_PUBLISH": "Not published as scheduled",
        "HOLD_ROLLOUT": "Hold rollout", "RESUME_ROLLOUT": "Resume rollout",
        "END_ROLLOUT": "End rollout",
        "EXPIRE_CHANGE_REQUEST": "Change request expired",
    ]

    /// The names that ``action(of:)`` returns for sessions, which the store records as tokens.
    private static let sessionActions = ["SIGN_IN", "SIGN_OUT"]

    /// Clocks of servers may differ, so entries are not exactly in the order of their times.
    static let clockTolerance: TimeInterval = 86_400

    /// Lower-case words, each of which occurs in the actor, action, subject or detail.
    private let words: [String]

    /// Lower-case part of the actor's name; empty for all.
    private let actor: String

    /// Nil for all.
    private let actions: Set<String>?  // names: our own literals, in ASCII

    private let startTime: Date?

    /// Exclusive.
    private let endTime: Date?

    /// Reads the query of a request: `text`, `actor`, `action`, `startTime` and `endTime`.
    ///
    /// - Throws: A ``RequestError`` with status 400.
    init(_ request: RouteRequest) throws(RequestError) {
        words = try Self.text(named: "text", in: request)
            .split(whereSeparator: \.isWhitespace).map(String.init)
        actor = try Self.text(named: "actor", in: request)
        startTime = try request.date(named: "startTime")
        endTime = try request.date(named: "endTime")
        guard let names = try request.queryValue(named: "action"), !names.isEmpty else {
            actions = nil
            return
        }
        let chosen = names.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let known = AuditEntry.Action.allCases.map(\.rawValue) + Self.sessionActions
        guard chosen.allSatisfy({ name in known.contains(where: name.hasSameBytes) }) else {
            throw .invalidArgument(
                "action is unknown: send \(known.sortedByBytes().joined(separator: ", ")), or "
                    + "several of them separated by commas.")
        }
        actions = Set(chosen)
    }

    private static func text(
        named name: String, in request: RouteRequest
    ) throws(RequestError) -> String {
        let text = try request.queryValue(named: name) ?? ""
        guard !text.isLonger(than: maximumLength) else {
            throw .invalidArgument("\(name) is too long: send at most \(maximumLength) characters.")
        }
        return text.lowercased()
    }

    /// True when every entry matches.
    var isEmpty: Bool {
        words.isEmpty && actor.isEmpty && actions == nil && startTime == nil && endTime == nil
    }

    func matches(_ entry: AuditEntry) -> Bool {
        guard startTime.map({ entry.date >= $0 }) ?? true, endTime.map({ entry.date < $0 }) ?? true,
            actions?.contains(Self.action(of: entry)) ?? true
        else { return false }
        let names = [entry.actor, Self.shownName(entry.actor)].map { $0.lowercased() }
        guard names.contains(where: { $0.hasPart(actor) }) else { return false }
        if words.isEmpty { return true }
        let action = Self.action(of: entry)
        let texts =
            names
            + [
                entry.subject, Self.shownSubject(entry.subject), entry.detail ?? "", action,
                action.replacing("_", with: " "), Self.shownActions[action] ?? "",
            ].map { $0.lowercased() }
        return words.allSatisfy { word in texts.contains { $0.hasPart(word) } }
    }

    /// True when neither the entry nor any before it can match.
    func isBefore(_ entry: AuditEntry) -> Bool {
        startTime.map { entry.date < $0 - Self.clockTolerance } ?? false
    }

    /// The name by which the console shows an administrator.
    private static func shownName(_ name: String) -> String {
        name == AdministratorAccess.environmentTokenName ? "Admin token" : name
    }

    /// The text by which the console shows the subject of an entry.
    private static func shownSubject(_ subject: String) -> String {
        let prefix = AdministratorSession.namePrefix
        guard subject.hasPrefix(prefix) else { return subject }
        return prefix + shownName(String(subject.dropFirst(prefix.count)))
    }

    /// The action, which distinguishes sessions of the console from tokens.
    private static func action(of entry: AuditEntry) -> String {
        guard entry.subject.hasPrefix(AdministratorSession.namePrefix) else {
            return entry.action.rawValue
        }
        return switch entry.action {
        case .createToken: sessionActions[0]
        case .revokeToken: sessionActions[1]
        default: entry.action.rawValue
        }
    }
}

extension String {
    /// True when the bytes of `part` occur in the text.
    fileprivate func hasPart(_ part: String) -> Bool { part.isEmpty || utf8.contains(part.utf8) }
}
