import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore

/// The routes of API 3 for the approvals that a publish in a project needs.
struct ProtectionRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/protection",
                [
                    .get: Endpoint(access: RoleAccess(.viewer), handler: get),
                    .put: Endpoint(access: RoleAccess(.publisher), handler: put),
                ])
        ]
    }

    @Sendable
    private func get(_ request: RouteRequest) async throws -> RouteResponse {
        Self.answer(try await administration.projectDetails(request.project))
    }

    /// Replaces the protection; `{"requiredApprovals": 0}` ends it.
    ///
    /// A token that may bypass approvals is needed to end or lower it.
    @Sendable
    private func put(_ request: RouteRequest) async throws -> RouteResponse {
        guard let ifMatch = request.headerFields[.ifMatch], !ifMatch.isEmpty else {
            throw RequestError.invalidArgument(
                "If-Match is missing or empty: send the ETag of the protection, or * to replace "
                    + "any.")
        }
        let protection = try Self.protection(in: request)
        let mayBypass = request.administrator?.mayBypass == true
        let stored = try await administration.changeDetails(
            by: request, tag: \.protectionTag,
            auditing: protection == nil ? "no approvals to publish" : nil
        ) {
            current throws(RequestError) in
            if current.protection?.isLowered(by: protection) == true, !mayBypass {
                throw RequestError.permissionDenied(
                    "This would let publishes pass that the protection refuses: use a token that "
                        + "may bypass approvals.")
            }
            var details = current
            details.protection = protection
            return details
        }
        return Self.answer(
            stored, refusedTokens: protection == nil ? [] : try await refusedTokens(request.project)
        )
    }

    /// Maximum number of tokens that the answer names.
    private static let mostTokens = 100

    /// The names of the tokens that publish in the project only what others have approved.
    private func refusedTokens(_ project: String) async throws -> [String] {
        let date = administration.now()
        let refused = try await administration.storedTokens().filter { token in
            token.isLiving(at: date) && !token.mayBypass
                && (token.role(inProject: project).map { $0 >= .publisher } ?? false)
        }
        return refused.prefix(Self.mostTokens).map(\.name)
    }

    /// The protection in the body; nil for 0 approvals.
    ///
    /// - Throws: A ``RequestError`` with status 400 for anything else.
    private static func protection(
        in request: RouteRequest
    ) throws(RequestError) -> ProjectProtection? {
        let body = try request.jsonBody(
            knows: ["requiredApprovals", "selfApproval", "rollbackWithoutApproval"])
        let maximum = ProjectProtection.approvals.upperBound
        guard case .number(let digits)? = body["requiredApprovals"], let number = Int(digits),
            (0...maximum).contains(number)
        else {
            throw .invalidArgument(
                "requiredApprovals is missing or invalid: send a number from 1 to \(maximum), or 0 "
                    + "to end the protection.")
        }
        let selfApproval = try flag(named: "selfApproval", in: body)
        let rollbackWithoutApproval = try flag(named: "rollbackWithoutApproval", in: body)
        guard number > 0 else { return nil }
        return ProjectProtection(
            requiredApprovals: number, selfApproval: selfApproval,
            rollbackWithoutApproval: rollbackWithoutApproval)
    }

    private static func flag(named name: String, in body: JSONNode) throws(RequestError) -> Bool {
        switch body[name] ?? .null {
        case .null: return false
        case .bool(let flag): return flag
        case let other:
            throw .invalidArgument("\(name) is \(other.kindDescription): send true or false.")
        }
    }

    private static func answer(
        _ stored: StoredProjectDetails, refusedTokens: [String] = []
    ) -> RouteResponse {
        let protection = stored.details.protection
        var body: JSONNode = [
            "requiredApprovals": .number("\(protection?.requiredApprovals ?? 0)"),
            "selfApproval": .bool(protection?.selfApproval ?? false),
            "rollbackWithoutApproval": .bool(protection?.rollbackWithoutApproval ?? false),
        ]
        if !refusedTokens.isEmpty {
            body.setMember("refusedTokens", .array(refusedTokens.map { .string($0) }))
        }
        return .json(
            body,
            headerFields: [.eTag: "\"\(stored.protectionTag)\"", .cacheControl: "no-store"])
    }
}

extension StoredProjectDetails {
    /// The entity tag of the protection, without quotation marks; it changes with all details.
    fileprivate var protectionTag: String { "protection-\(revision)" }
}
