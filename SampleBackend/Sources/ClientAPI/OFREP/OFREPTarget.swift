import HTTPServing

/// A type that is the target of a request below `/ofrep`, where errors have a form of their own.
///
/// It is read without the route, because a request may be refused before anybody looks for one.
struct OFREPTarget: Sendable, Hashable {
    /// The key of the flag that is asked for, decoded; nil on other paths than a flag's.
    let flagKey: String?

    /// Looks at the target of a request.
    ///
    /// - Parameter target: The path and the query as they came; nil is returned for other paths than
    ///   those below `/ofrep` and `/projects/{project}/ofrep`.
    init?(_ target: String) {
        guard let parts = TargetParts(target) else { return nil }
        let path = parts.pathAndQuery.utf8.prefix { $0 != UInt8(ascii: "?") }
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst()
            .map { Substring($0).percentDecoded() ?? String(Substring($0)) }[...]
        if segments.first == "projects" { segments = segments.dropFirst(2) }
        guard segments.first == "ofrep" else { return nil }
        let flags = ["ofrep", "v1", "evaluate", "flags"]
        let isFlag = segments.starts(with: flags) && segments.count > flags.count
        flagKey = isFlag ? segments.dropFirst(flags.count).joined(separator: "/") : nil
    }
}
