extension ConfigurationState {
    /// The document as it was received, if a vetting replaced it.
    var asReceived: ConfigurationState {
        guard let original, let body = original.body,
            var received = original.knownConfiguration
                ?? (try? ConfigurationState(jsonData: body, limits: StoredRecord.limits))
        else { return self }
        let versionKey = MetaKey.templateVersion
        if original.confirmation != nil { received.meta[versionKey] = meta[versionKey] }
        (received.entityTag, received.original) = (entityTag, original)
        return received
    }

    /// The original for a downloader that gives none.
    var receivedOriginal: OriginalDocument {
        OriginalDocument(body: jsonData(), headerFields: [:], entityTag: entityTag)
    }

    /// A copy without the bytes of its original, of which memory keeps only the digest.
    var keptInMemory: ConfigurationState {
        guard let original, original.body != nil else { return self }
        var state = self
        state.original = original.withoutBody
        return state
    }
}
