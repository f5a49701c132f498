import ClientAPI
package import Foundation
package import HTTPServing
import JSONTree
import NIOConcurrencyHelpers
package import OpenIDConnect
package import TemplateStore

/// Administrator tokens, console sessions, and the last use of each token.
///
/// It answers from memory. This process passes its own changes of tokens and sessions to it; the
/// store follower reads the changes of other processes.
package final class AdministratorAccess: Sendable {
    /// The audit-trail name of the token from the environment.
    static let environmentTokenName = "environment"

    /// Minimum length, in characters, of the token from the environment.
    package static let minimumEnvironmentTokenLength = 32

    /// The holder of a valid token, or a person who signed in without one.
    package struct Holder: Sendable {
        package let administrator: Administrator
        package let tokenID: String
        /// The hash of the token, or a secret about the person.
        let tokenHash: Data
        /// Nil means never.
        package let expirationDate: Date?
    }

    struct State: Sendable {
        /// Unrevoked tokens, as stored.
        var tokens: [StoredToken] = []
        /// Orders the reads of ``tokens`` and their changes, by identifier.
        var tokenReads = ReadOrder<String>()
        /// Active sessions by hash.
        var sessions: [Data: StoredSession] = [:]
        /// Orders the reads of ``sessions`` and their changes, by identifier.
        var sessionReads = ReadOrder<String>()
        /// Last uses that are not stored yet, by token identifier.
        var uses: [String: Date] = [:]  // names: IDs of tokens are made here
        var failedSignIns = FailedSignInTally()
        /// True until the stored tokens and sessions have been read, after a start without the
        /// store.
        var areTokensMissing = false
    }

    let state = NIOLockedValueBox(State())

    /// The holder of the token from the environment, a publisher whose token never expires.
    private let environmentHolder: Holder?

    private let revocationObserver = NIOLockedValueBox<(@Sendable () -> Void)?>(nil)

    /// Signs people in without a token, and knows their rights; nil when only tokens are valid.
    package let signIn: OpenIDSignIn?

    let now: @Sendable () -> Date

    package init(
        environmentToken: SecretHash?, signIn: OpenIDSignIn? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        environmentHolder = environmentToken.map { hash in
            Holder(
                administrator: Administrator(
                    name: Self.environmentTokenName, role: .publisher, mayBypass: true),
                // Replacing the environment's token ends the sessions started with it.
                tokenID: "\(Self.environmentTokenName)-\(hash.data.prefix(4).hexadecimal)",
                tokenHash: hash.data, expirationDate: nil)
        }
        self.signIn = signIn
        self.now = now
    }

    /// Replaces the tokens with the stored ones; revoked and expired ones are dropped.
    ///
    /// A read that is overtaken by a later one neither restores a revoked token nor loses a new
    /// one.
    package func readTokens<Failure: Error>(
        _ read: () async throws(Failure) -> [StoredToken]
    ) async throws(Failure) {
        let number = state.withLockedValue { $0.tokenReads.begin() }
        defer { state.withLockedValue { $0.tokenReads.end() } }
        let tokens = try await read()
        let date = now()
        let living = tokens.filter { $0.isLiving(at: date) }
        let areAnyRevoked = state.withLockedValue { state in
            state.areTokensMissing = false
            guard let readLater = state.tokenReads.takeAll(number).map({ Set($0) }) else {
                return false
            }
            let before = Set(state.tokens.map(\.id))
            state.tokens =
                living.filter { !readLater.contains($0.id) }
                + state.tokens.filter { readLater.contains($0.id) }
            return !before.isSubset(of: state.tokens.map(\.id))
        }
        if areAnyRevoked { notifyOfRevocation() }
    }

    /// Sets the closure that is called after tokens were revoked, here or by another process.
    package func observeRevocations(_ observer: @escaping @Sendable () -> Void) {
        revocationObserver.withLockedValue { $0 = observer }
    }

    package func notifyOfRevocation() { revocationObserver.withLockedValue { $0 }?() }

    /// Answers unknown credentials with 503 instead of 401 until the tokens have been read.
    package func expectTokens() { state.withLockedValue { $0.areTokensMissing = true } }

    /// - Throws: A ``RequestError`` with status 503 when unknown credentials may be valid.
    package func checkTokensAreKnown() throws(RequestError) {
        if state.withLockedValue(\.areTokensMissing) { throw .storeUnavailable }
    }

    /// Stores a token and adds it in memory, without reading the store again, which could fail
    /// after the change.
    ///
    /// - Returns: False when a concurrent read of all tokens, which may lack this one, was applied;
    ///   the caller must read them again.
    package func addToken<Failure: Error>(
        _ token: StoredToken, storing store: () async throws(Failure) -> Void
    ) async throws(Failure) -> Bool {
        let number = state.withLockedValue { $0.tokenReads.begin() }
        defer { state.withLockedValue { $0.tokenReads.end() } }
        try await store()
        return state.withLockedValue { state in
            guard state.tokenReads.take(number, of: token.id) else { return false }
            state.tokens.append(token)
            return true
        }
    }

    /// Removes a revoked token.
    package func removeToken(id: String) {
        state.withLockedValue { state in
            let number = state.tokenReads.begin()
            defer { state.tokenReads.end() }
            guard state.tokenReads.take(number, of: id) else { return }
            state.tokens.removeAll { $0.id == id }
        }
        notifyOfRevocation()
    }

    /// The holder of a token, or nil when the token is missing, unknown, revoked or expired.
    package func holder(ofToken token: String?) -> Holder? {
        let hash = Data.sha256(of: token ?? "")
        let date = now()
        return state.withLockedValue { state in
            var found: Holder?
            // Compares against every token, so timing leaks nothing.
            for holder in Self.holders(state, environmentHolder, at: date)
            where holder.tokenHash.equalsInConstantTime(hash) {
                found = holder
            }
            if let found { state.uses[found.tokenID] = date }
            return found
        }
    }

    /// The session with the given cookie text, and the holder of the token that started it; nil
    /// when the session or its token has ended, or when the rules give the person no rights now.
    package func holder(ofSession text: String?) -> (session: StoredSession, holder: Holder)? {
        // A dictionary lookup by hash leaks nothing useful through timing: finding a text whose
        // hash has a given prefix is infeasible.
        let hash = AdministratorSession.hash(of: text ?? "")
        let date = now()
        return state.withLockedValue { state in
            guard let session = state.sessions[hash], session.expirationDate > date else {
                return nil
            }
            if let person = session.person { return holder(of: person).map { (session, $0) } }
            guard
                let holder = Self.holders(state, environmentHolder, at: date)
                    .first(where: { session.tokenID == $0.tokenID })
            else { return nil }
            state.uses[holder.tokenID] = date
            return (session, holder)
        }
    }

    /// A person who signed in without a token, with the rights that the rules give now; nil without
    /// any.
    package func holder(of person: SignedInPerson) -> Holder? {
        guard let signIn, let rights = signIn.rights(of: person) else { return nil }
        let id = Data.sha256(of: "\(person.issuer)\n\(person.subject)").prefix(12).hexadecimal
        return Holder(
            administrator: Administrator(
                name: person.name, role: rights.role, projects: rights.projects,
                owner: person.name, mayBypass: rights.mayBypass, person: person),
            // The same in each session: it is the owner of the person's drafts.
            tokenID: "openid-\(id)", tokenHash: signIn.secret(of: person), expirationDate: nil)
    }

    /// The right of whoever scheduled a publish to publish, as far as this server can tell.
    enum SchedulingRight: Sendable {
        case granted
        case refused
        /// Only another server can tell: this one has no token from the environment, or no provider.
        case unknown
    }

    /// The right of whoever scheduled a publish: of a person by any token or by the rules for sign-ins, and
    /// of a program by the token that it used.
    ///
    /// - Parameters:
    ///   - schedule: The schedule.
    ///   - project: The project's name.
    ///   - tokens: All stored tokens.
    /// - Returns: The right as it is now.
    func right(
        to schedule: ScheduledPublish, inProject project: String, tokens: [StoredToken]
    ) -> SchedulingRight {
        if let person = schedule.signIn {
            guard signIn != nil else { return .unknown }
            let role = holder(of: person)?.administrator.role(inProject: project)
            return role.map { $0 >= .publisher } ?? false ? .granted : .refused
        }
        // Reserved names, which no stored token has.
        let name = schedule.scheduler.actor
        if name.hasPrefix(Administrator.localNamePrefix) { return .granted }
        if name == Self.environmentTokenName {
            return environmentHolder == nil ? .unknown : .granted
        }
        let date = now()
        let isGranted = tokens.contains { token in
            let isTheirs =
                schedule.scheduler.person.map { token.owner?.hasSameBytes(as: $0) ?? false }
                ?? (token.id == schedule.tokenID)
            return isTheirs && token.isLiving(at: date)
                && token.role(inProject: project).map { $0 >= .publisher } ?? false
        }
        return isGranted ? .granted : .refused
    }

    /// False once the caller's token has expired or been revoked, the caller's session has ended,
    /// or the rules give the person of the session no role in a project any more.
    package func isValid(_ caller: AdministratorCaller, inProject project: String) -> Bool {
        let date = now()
        return state.withLockedValue { state in
            if let session = caller.session {
                guard let known = state.sessions[session.hash], known.expirationDate > date else {
                    return false
                }
                if let person = known.person {
                    return signIn?.rights(of: person)?.role(inProject: project) != nil
                }
            }
            return Self.holders(state, environmentHolder, at: date)
                .contains { $0.tokenID == caller.id }
        }
    }

    /// Holders of all valid tokens.
    private static func holders(
        _ state: State, _ environmentHolder: Holder?, at date: Date
    ) -> [Holder] {
        let stored = state.tokens.filter { $0.isLiving(at: date) }.map { token in
            Holder(
                administrator: Administrator(
                    name: token.name, role: token.role, projects: token.projects,
                    owner: token.owner, creator: token.creator, identity: token.identity,
                    mayBypass: token.mayBypass),
                tokenID: token.id, tokenHash: token.hash, expirationDate: token.expirationDate)
        }
        return [environmentHolder].compactMap { $0 } + stored
    }

    /// Returns and clears the uses of tokens that are not stored yet.
    package func takeUses() -> [String: Date] {
        state.withLockedValue { state in
            defer { state.uses = [:] }
            let ids = Set(state.tokens.map(\.id))
            return state.uses.filter { ids.contains($0.key) }
        }
    }

    /// Restores uses that could not be stored.
    package func returnUses(_ uses: [String: Date]) {
        state.withLockedValue { $0.uses.merge(uses) { max($0, $1) } }
    }
}

/// The holder of an administrator token.
package struct Administrator: Sendable, Hashable {
    /// The name of the token, or of the person who signed in, as shown in the audit trail.
    package let name: String

    /// The role in all projects, unless ``projects`` limits the administrator.
    package let role: StoredToken.Role

    /// The roles by project, in these projects only; nil does not limit the administrator.
    package let projects: [String: StoredToken.Role]?  // names: IDs of tokens are made here

    /// The person who uses the token, or who signed in; nil for a program, and for an administrator
    /// without a stored token.
    package let owner: String?

    /// The person whose token created the one used; nil when no person did.
    package let creator: String?

    /// The person who signed in at an OpenID provider; nil for the holder of a token.
    package let person: SignedInPerson?

    /// The provider's identifier of ``person``, or of the person who created the token; nil without
    /// one.
    package let identity: String?

    /// True when the administrator may publish in protected projects without approvals.
    package let mayBypass: Bool

    /// The prefix that the audit trail adds to the names of administrators who open a store
    /// directly.
    package static let localNamePrefix = "local:"

    package init(
        name: String, role: StoredToken.Role, projects: [String: StoredToken.Role]? = nil,
        owner: String? = nil, creator: String? = nil, identity: String? = nil,
        mayBypass: Bool = false, person: SignedInPerson? = nil
    ) {
        self.name = name
        self.role = role
        self.projects = projects
        self.owner = owner
        self.creator = creator
        self.mayBypass = mayBypass
        self.person = person
        self.identity = person?.identity ?? identity
    }

    /// The role in a project; that of an evaluator when the token does not include it.
    func role(inProject project: String) -> StoredToken.Role {
        projects.map { $0[project] ?? .evaluator } ?? role
    }

    /// False when the administrator's token does not include a project, or only for evaluation.
    func includes(_ project: String) -> Bool {
        projects.map { $0[project].map { $0 > .evaluator } ?? false } ?? true
    }

    /// The projects in which the administrator may read what people see; nil for all.
    package var readableProjects: Set<String>? {  // names: names of projects are ASCII
        guard let projects else { return role > .evaluator ? nil : [] }
        return Set(projects.filter { $0.value > .evaluator }.keys)
    }

    /// True for a token that only serves services for evaluation.
    package var isEvaluator: Bool { readableProjects?.isEmpty ?? false }
}
