import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Documents of answers, with the header fields of the wire contract.
extension ConfigurationState {
    /// Reads an answer's document, with its entity tag, signature and share of acknowledgements.
    ///
    /// - Throws: ``ConfigurationFormatError``, which names the status, and `url` without its secrets.
    init(
        _ body: Data, answeredBy url: URL?, with response: HTTPURLResponse,
        limits: ConfigurationLimits
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
        noteFields(of: response, body: body)
    }

    /// Takes over the signature and the share of acknowledgements.
    private mutating func noteFields(of response: HTTPURLResponse, body: Data) {
        // Several fields arrive joined, which no verifier accepts.
        signedDocument = response.value(forHTTPHeaderField: "ActiveConfig-Signature").map {
            SignedDocument(body: body, signature: $0, entityTag: entityTag).read(as: self)
        }
        acknowledgementShare = response.acknowledgementShare
    }

    /// What a 304 says of this configuration; nil, which says nothing but that it is unchanged, for one
    /// that is not signed, when the answer names no later version.
    func confirmed(by response: HTTPURLResponse) -> ConfigurationState? {
        var state = self
        state.signedDocument = signedDocument?.confirmed(
            signature: response.value(forHTTPHeaderField: "ActiveConfig-Signature"),
            entityTag: response.value(forHTTPHeaderField: "ETag"))
        state.confirmedVersion = response.templateVersion.flatMap { version in
            version > templateVersion ?? .max ? version : nil
        }
        state.acknowledgementShare = response.acknowledgementShare
        return state.isConfirmation ? state : nil
    }
}

private let templateVersionField = "ActiveConfig-Template-Version"

extension HTTPURLResponse {
    /// The version of the answer; nil when it names none, or not as the wire contract says.
    fileprivate var templateVersion: Int? {
        value(forHTTPHeaderField: templateVersionField).flatMap { Int(wireDigits: $0) }
    }

    fileprivate var acknowledgementShare: Double? {
        value(forHTTPHeaderField: "ActiveConfig-Acknowledge")
            .flatMap { Double($0.trimmingCharacters(in: .whitespaces)) }
            .flatMap { (0...1).contains($0) ? $0 : nil }
    }
}

extension URLRequest {
    /// Names the version of the document that the client has, unless the request names one: a server
    /// then knows that the client takes over the version of a 304.
    mutating func nameTemplateVersion(_ version: Int?) {
        guard value(forHTTPHeaderField: templateVersionField) == nil else { return }
        setValue("\(max(version ?? 0, 0))", forHTTPHeaderField: templateVersionField)
    }
}
