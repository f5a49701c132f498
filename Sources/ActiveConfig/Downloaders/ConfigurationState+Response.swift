import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Header fields of the wire contract beside the entity tag.
extension ConfigurationState {
    /// Takes over the signature and the share of acknowledgements.
    mutating func noteFields(of response: HTTPURLResponse, body: Data) {
        // Several fields arrive joined, which no verifier accepts.
        signedDocument = response.value(forHTTPHeaderField: "ActiveConfig-Signature").map {
            SignedDocument(body: body, signature: $0, entityTag: entityTag)
        }
        acknowledgementShare = response.value(forHTTPHeaderField: "ActiveConfig-Acknowledge")
            .flatMap { Double($0.trimmingCharacters(in: .whitespaces)) }
            .flatMap { (0...1).contains($0) ? $0 : nil }
    }

    /// What a 304 says of this configuration; nil, which says nothing but that it is unchanged, for one
    /// that is not signed.
    func confirmed(by response: HTTPURLResponse) -> ConfigurationState? {
        guard let signedDocument else { return nil }
        var state = self
        state.signedDocument = signedDocument.confirmed(
            signature: response.value(forHTTPHeaderField: "ActiveConfig-Signature"),
            entityTag: response.value(forHTTPHeaderField: "ETag"))
        return state
    }
}
