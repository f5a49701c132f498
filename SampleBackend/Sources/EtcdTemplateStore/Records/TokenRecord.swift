import Foundation
import TemplateStore

struct TokenRecord: EtcdRecord {
    let id: String
    private let name: String
    private let role: StoredToken.Role.RawValue
    /// The roles by project; nil when the token is not limited.
    private var projects: String?
    private var owner: String?
    private var creator: String?
    private var identity: String?
    /// Nil means false.
    private var mayBypass: Bool?
    private let hash: Data
    private let creation: RecordDate
    private var expiration: RecordDate?
    private var revocation: RecordDate?

    init(_ token: StoredToken) {
        id = token.id
        name = token.name
        projects = token.projectsText
        owner = token.owner
        creator = token.creator
        identity = token.identity
        mayBypass = token.mayBypass ? true : nil
        role = token.role.rawValue
        hash = token.hash
        creation = RecordDate(token.creationDate)
        expiration = token.expirationDate.map(RecordDate.init)
        revocation = token.revocationDate.map(RecordDate.init)
    }

    /// The token with its last use; nil when this program does not know the role.
    func token(lastUse: RecordDate?) -> StoredToken? {
        guard let role = StoredToken.Role(rawValue: role) else { return nil }
        return StoredToken(
            id: id, name: name, role: role, projects: StoredToken.projects(inText: projects),
            owner: owner, creator: creator, identity: identity, mayBypass: mayBypass ?? false,
            hash: hash, creationDate: creation.date,
            expirationDate: expiration?.date,
            lastUseDate: lastUse?.date,
            revocationDate: revocation?.date)
    }
}

/// The last uses of tokens by identifier.
struct UsesRecord: EtcdRecord {
    var dates: [String: RecordDate] = [:]  // names: IDs of tokens are made here
}

struct SessionRecord: EtcdRecord {
    private let id: String
    private let tokenID: String
    private let name: String
    private let role: StoredToken.Role.RawValue
    /// Nil for a session that began with a token.
    private var person: SignedInPerson?
    private let hash: Data
    private let creation: RecordDate
    private let expiration: RecordDate

    init(_ session: StoredSession) {
        id = session.id
        tokenID = session.tokenID
        name = session.name
        role = session.role.rawValue
        person = session.person
        hash = session.hash
        creation = RecordDate(session.creationDate)
        expiration = RecordDate(session.expirationDate)
    }

    /// The session; nil when this program does not know the role.
    var session: StoredSession? {
        guard let role = StoredToken.Role(rawValue: role) else { return nil }
        return StoredSession(
            id: id, tokenID: tokenID, name: name, role: role, person: person, hash: hash,
            creationDate: creation.date,
            expirationDate: expiration.date)
    }
}
