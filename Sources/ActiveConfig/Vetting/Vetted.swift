/// A document that every vetting accepts; only `Vettings` makes one of another document.
struct Vetted: Sendable {
    /// With the bytes of its original, for the store.
    let document: ConfigurationState

    init(_ document: ConfigurationState) { self.document = document }

    /// The same content as the successor of a pending document; see
    /// ``ConfigurationState/succeeding(_:)``.
    func succeeding(_ pending: ConfigurationState?) -> Vetted {
        Vetted(document.succeeding(pending))
    }

    /// The same document with the stored bytes of its original.
    ///
    /// - Parameter original: An equal original that has its bytes.
    /// - Returns: The document.
    func with(original: OriginalDocument) -> Vetted {
        var whole = document
        whole.original = original
        return Vetted(whole)
    }

    /// The same document without its original, which is not stored.
    var withoutOriginal: Vetted {
        var plain = document
        plain.original = nil
        return Vetted(plain)
    }
}
