/// What the sources under test need of modules that the fuzzer is built without.
struct RequestError: Error {
    static func invalidArgument(_ message: String) -> RequestError { RequestError() }
}

/// The tag of a document.
struct EntityTag: Hashable, Sendable {
    let opaqueTag: String
}
