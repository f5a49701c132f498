import HTTPServing
import JSONTree
import OrderedCollections
import Targeting

/// The users of a stream for many users, from the body of its request (PROTOCOL 2).
struct StreamUsers: Sendable {
    static let maximumCount = 1_000

    /// A request for each user, in order.
    let requests: [StreamRequest]

    /// Reads `{"users": [{"user_id": "1", "signals": {…}, "last_event_id": "5", "etag": "W/…"}]}`.
    ///
    /// - Throws: A ``RequestError`` with status 400 that names the position.
    init(_ body: JSONNode, project: String) throws(RequestError) {
        try Self.checkMembers(of: body, known: ["users"], at: nil)
        guard let users = body["users"]?.arrayValue else {
            throw .invalidArgument("users is missing or not an array: send an array of objects.")
        }
        guard (1...Self.maximumCount).contains(users.count) else {
            throw .invalidArgument(
                "users has \(users.count) elements: send 1 to \(Self.maximumCount).")
        }
        var places: [ExactText?: Int] = [:]
        var requests: [StreamRequest] = []
        for (index, user) in users.enumerated() {
            let request = try Self.request(of: user, at: "users[\(index)]", project: project)
            let userID = request.document.userID.map { ExactText($0) }
            if let place = places.updateValue(index, forKey: userID) {
                throw .invalidArgument(
                    "users[\(index)].user_id is the same as that of users[\(place)]: send each user "
                        + "once.")
            }
            requests.append(request)
        }
        self.requests = requests
    }

    private static func request(
        of user: JSONNode, at place: String, project: String
    ) throws(RequestError) -> StreamRequest {
        guard case .object = user else {
            throw .invalidArgument("\(place) is \(user.kindDescription): send an object.")
        }
        try checkMembers(
            of: user, known: ["user_id", "signals", "last_event_id", "etag"], at: place)
        let userID: String?
        switch user["user_id"] {
        case .string(let text)?: userID = text
        case .null?: userID = nil
        case let other:
            throw .invalidArgument(
                "\(place).user_id is \(other?.kindDescription ?? "missing"): send a string, or "
                    + "null for the generic user.")
        }
        let document = DocumentRequest(
            project: project, userID: userID,
            signals: try signals(of: user["signals"], at: "\(place).signals"))
        return StreamRequest(
            document: document, lastEventID: try text("last_event_id", of: user, at: place),
            documentTag: try text("etag", of: user, at: place).map(EntityTagCondition.init),
            namesUser: true)
    }

    private static func text(
        _ name: String, of user: JSONNode, at place: String
    ) throws(RequestError) -> String? {
        switch user[name] {
        case .string(let text)?: return text
        case nil, .null?: return nil
        case let other?:
            throw .invalidArgument(
                "\(place).\(name) is \(other.kindDescription): send a string.")
        }
    }

    private static func signals(
        of node: JSONNode?, at place: String
    ) throws(RequestError) -> Signals {
        guard let node else { return Signals() }
        guard let members = node.objectValue else {
            throw .invalidArgument("\(place) is \(node.kindDescription): send an object.")
        }
        for (name, value) in members {
            switch value {
            case .string, .number, .bool: break
            case .null, .array, .object:
                throw .invalidArgument(
                    "\(place).\(name.shortened) is \(value.kindDescription): send a string, a "
                        + "number or a boolean.")
            }
        }
        do throws(SignalError) {
            return try Signals(members: members.map { ($0.key, $0.value) })
        } catch {
            throw .invalidArgument("\(place): " + error.message(for: "signal"))
        }
    }

    private static func checkMembers(
        of node: JSONNode, known: Set<String>, at place: String?
    ) throws(RequestError) {
        for (name, _) in node.objectValue ?? [:] where !known.contains(name) {
            throw .invalidArgument(
                "\(place.map { "\($0)." } ?? "")\(name.shortened) is unknown: leave it out.")
        }
    }
}
