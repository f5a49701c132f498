import ActiveConfig

#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
#else
    import Foundation
#endif

/// The content of an acknowledgement.
extension ConfigurationAcknowledger {
    /// Limits of the *Client protocol*, section 2: number of problems, and characters of their
    /// parts.
    private static let maximumProblems = 50
    private static let maximumNameLength = 256
    private static let maximumMessageLength = 500

    /// The request; nil when a newer acknowledgement of the user has replaced it.
    func request(for outcome: Acknowledgement) async -> URLRequest? {
        let problems: [SettingValue]
        var isActive = false
        switch outcome.verdict {
        case .refused(let message): problems = [Self.problem("", nil, message)]
        case .active:
            guard
                let active = await config.problems(
                    ofActiveVersion: outcome.version, of: outcome.userID)
            else { return nil }
            isActive = true
            problems = active.prefix(Self.maximumProblems).map {
                Self.problem($0.path.sectionName, $0.name, $0.reason)
            }
        }
        var body: [String: SettingValue] = ["template_version": .integer(outcome.version)]
        body["etag"] = outcome.entityTag.map { .string($0) }
        if !problems.isEmpty {
            body["problems"] = .array(problems)
            body["in_force"] = .bool(isActive)
        }
        var request = URLRequest(
            url: backend.acknowledgementURL(forUserID: outcome.userID.string))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = SettingValue.object(body).jsonData()
        prepare(&request)
        return request
    }

    private static func problem(
        _ section: String, _ key: String?, _ message: String
    ) -> SettingValue {
        func text(_ text: String, _ maximum: Int) -> SettingValue {
            .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximum))))
        }
        var problem: [String: SettingValue] = [
            "section": text(section, maximumNameLength),
            "message": text(message, maximumMessageLength),
        ]
        if let key, !key.isEmpty { problem["key"] = text(key, maximumNameLength) }
        return .object(problem)
    }
}
