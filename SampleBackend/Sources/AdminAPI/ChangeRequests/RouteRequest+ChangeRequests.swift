import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import NIOCore
import TemplateStore

extension RouteRequest {
    var participant: ChangeRequest.Participant {
        ChangeRequest.Participant(
            person: administrator?.owner, actor: administrator?.name ?? "",
            creator: administrator?.owner == nil ? administrator?.creator : nil,
            identity: administrator?.identity)
    }

    /// The identifier of the caller's token.
    var tokenID: String { (caller as? AdministratorCaller)?.id ?? "" }

    /// The caller's role in the project of the path.
    var roleInProject: StoredToken.Role {
        administrator?.role(inProject: project) ?? .evaluator
    }

    /// The state of a change request that the caller has seen; `*` accepts the newest.
    ///
    /// - Throws: A ``RequestError`` with status 400 when the request has no valid precondition.
    var seenState: StateExpectation {
        get throws(RequestError) {
            switch try StateExpectation(headerFields) {
            case .present: return .present
            case .tag(let tag): return .tag(String(tag.prefix { $0 != "." }))
            case nil, .any, .absent:
                throw .invalidArgument(
                    "If-Match is missing or empty: send the ETag of the change request, or * for "
                        + "the newest state.")
            }
        }
    }

    /// The version that was current in the state that the caller has seen, by the tag in `If-Match`.
    var seenVersion: Int? {
        guard let seen = try? StateExpectation(headerFields), case .tag(let tag) = seen else {
            return nil
        }
        return tag.split(separator: ".").dropFirst().last.flatMap { Int($0) }
    }

    /// The object in the body; an empty one for an empty body.
    func optionalBody(knows names: [String]) throws(RequestError) -> JSONNode {
        body.readableBytes > 0 ? try jsonBody(knows: names) : .emptyObject
    }
}

extension JSONNode {
    private static let maximumTitleLength = 200
    private static let maximumTextLength = 10_000
    private static let maximumCommentLength = 1_000

    /// The title of a change request; nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 for one that cannot be shown on a line.
    var changeRequestTitle: String? {
        get throws(RequestError) {
            guard let node = self["title"] else { return nil }
            guard let title = node.stringValue else {
                throw .invalidArgument("title is \(node.kindDescription): send a text.")
            }
            try ShownText.check(title, named: "title", maximumLength: Self.maximumTitleLength)
            return title
        }
    }

    /// The description of a change request; nil when it is missing, null or empty.
    var changeRequestText: String? {
        get throws(RequestError) { try text(named: "text", maximumLength: Self.maximumTextLength) }
    }

    /// A comment; nil when it is missing, null or empty.
    func comment(named name: String) throws(RequestError) -> String? {
        try text(named: name, maximumLength: Self.maximumCommentLength)
    }

    private func text(named name: String, maximumLength: Int) throws(RequestError) -> String? {
        guard let node = self[name], node != .null else { return nil }
        guard let text = node.stringValue else {
            throw .invalidArgument("\(name) is \(node.kindDescription): send a text.")
        }
        guard !text.isLonger(than: maximumLength) else {
            throw .invalidArgument(
                "\(name) is too long: send at most \(maximumLength) characters.")
        }
        return text.isEmpty ? nil : text
    }
}
