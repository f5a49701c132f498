import HTTPServing

/// A request target below `/ofrep`, where errors have the protocol's format.
///
/// It is parsed without the route, because a request may be refused before it is routed.
struct OFREPTarget: Sendable, Hashable {
    /// The decoded key of the requested flag; nil on other paths than a flag's.
    let flagKey: String?

    /// Parses a request target; nil when it is not below `/ofrep` or `/projects/{project}/ofrep`.
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
