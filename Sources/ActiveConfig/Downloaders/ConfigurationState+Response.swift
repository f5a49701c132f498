package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Documents of answers, with the header fields of the *Client protocol*, section 1.
extension ConfigurationState {
    /// Reads an answer's document, with its entity tag and its original.
    ///
    /// - Throws: ``ConfigurationFormatError``, which names the status, and `url` without its secrets.
    package init(
        _ body: Data, answeredBy url: URL?, with response: HTTPURLResponse,
        to request: URLRequest? = nil, limits: ConfigurationLimits
    ) throws(ConfigurationFormatError) {
        do throws(ConfigurationFormatError) {
            self = try ConfigurationState(jsonData: body, limits: limits)
        } catch {
            var error = error
            error.status = response.statusCode
            error.url = url?.withoutSecrets
            throw error
        }
        entityTag = response.value(forHTTPHeaderField: "ETag")
        // Only an echo of the version in the request: a cached answer to another one has none.
        if let named = request?.value(forHTTPHeaderField: templateVersionField).flatMap(Int.init),
            response.value(forHTTPHeaderField: unknownVersionField)
                .flatMap({ Int(wireDigits: $0) }) == named,
            let version = templateVersion, version < named
        {
            replacedVersion = named
        }
        original = OriginalDocument(
            body: body, headerFields: response.textFields, entityTag: entityTag
        ).read(as: self)
    }

    /// The confirmation of this configuration by a 304; nil, which only means "not modified", when
    /// the answer names no later version and either has no other field of this protocol or no
    /// original is kept.
    package func confirmed(by response: HTTPURLResponse) -> ConfigurationState? {
        let version = response.templateVersion.flatMap { version in
            version > templateVersion ?? .max ? version : nil
        }
        let (fields, tag) = (response.textFields, response.value(forHTTPHeaderField: "ETag"))
        let confirmation =
            original?.confirmed(headerFields: fields, entityTag: tag)
            ?? .confirmation(headerFields: fields, entityTag: tag)
        let otherFields = confirmation.headerFields.keys.filter {
            $0 != templateVersionField.lowercased()
        }
        if version == nil, original == nil || otherFields.isEmpty { return nil }
        var state = self
        state.confirmedVersion = version
        state.original = confirmation
        return state
    }
}

private let templateVersionField = "ActiveConfig-Template-Version"
private let unknownVersionField = "ActiveConfig-Unknown-Version"

extension HTTPURLResponse {
    /// The version named by the answer; nil when it names none, or not as the *Client protocol*,
    /// section 1, requires.
    fileprivate var templateVersion: Int? {
        value(forHTTPHeaderField: templateVersionField).flatMap { Int(wireDigits: $0) }
    }

    fileprivate var textFields: [String: String] {
        allHeaderFields.reduce(into: [:]) { fields, field in
            guard let name = field.key as? String, let value = field.value as? String else {
                return
            }
            fields[name] = value
        }
    }
}

extension URLRequest {
    /// Names the version of the client's document, unless the request already names one: the server
    /// then knows that the client adopts the version of a 304.
    package mutating func nameTemplateVersion(_ version: Int?) {
        guard value(forHTTPHeaderField: templateVersionField) == nil else { return }
        setValue("\(max(version ?? 0, 0))", forHTTPHeaderField: templateVersionField)
    }
}
