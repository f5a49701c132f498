import Foundation

/// A fuzz target of what reads a request: the target of its request line, and fields that are lists.
///
/// `requests.sh` compiles it together with the sources it tests. A property that does not hold
/// traps, which libFuzzer reports with the input.
enum RequestFuzzer {
    private static let patterns =
        (ConfigurationRequest.patterns + ConfigurationRequest.streamPatterns
        + ConfigurationRequest.openFeatureStreamPatterns + ["/console/{page...}", "/"])
        .map { RoutePattern($0) }

    /// Tries one input: a target in its first line, a list of entity tags in the second.
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let lines = unsafe bytes.split(
            separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let texts = unsafe lines.map { unsafe String(decoding: $0, as: UTF8.self) }
        checkTarget(texts[0])
        if texts.count > 1 { checkTags(texts[1]) }
    }

    private static func checkTarget(_ text: String) {
        guard let target = try? RequestTarget(text) else { return }
        require(!target.segments.isEmpty, "a path has a segment")
        let path = "/" + target.segments.map(\.percentEncoded).joined(separator: "/")
        let again = try? RequestTarget(path)
        require(again.map { same($0.segments, target.segments) } == true, "a path reads back")
        if text.utf8.first == UInt8(ascii: "/") {
            let absolute = try? RequestTarget("hTTp://user@host:1" + text)
            require(
                absolute.map { same($0.segments, target.segments) } == true,
                "the absolute form is the same target")
            require(
                absolute.map { names($0) == names(target) } == true,
                "the absolute form has the same query")
        }
        for pattern in patterns {
            guard let parameters = pattern.match(target.segments) else { continue }
            require(
                pattern.match(again?.segments ?? []) == parameters, "the same path, the same route")
            guard let request = try? ConfigurationRequest(target: target, parameters: parameters)
            else { continue }
            require(
                request.signals.custom.count <= Signals.maximumCustomCount,
                "the signals are within their limits")
        }
        for parameter in target.query {
            guard let name = parameter.name, let value = parameter.value else { continue }
            let encoded = QueryParameters("\(name.percentEncoded)=\(value.percentEncoded)")
            guard !name.isEmpty || !value.isEmpty else { continue }
            let copy = encoded.makeIterator().next()
            require(
                copy?.name.map { same([$0], [name]) } == true
                    && copy?.value.map { same([$0], [value]) } == true, "a parameter reads back")
        }
    }

    private static func checkTags(_ list: String) {
        let tag = EntityTag(opaqueTag: "0123456789abcdef0123456789abcdef")
        let condition = EntityTagCondition(list)
        if condition.matches(tag) {
            require(
                list.contains("*") || list.contains(tag.opaqueTag), "a tag is found where it is")
        }
        // Whatever stands before, a tag of a list of its own is found.
        require(
            EntityTagCondition("W/\"\(tag.opaqueTag)\", \(list)").matches(tag), "a tag is found")
        require(
            EntityTagCondition("x, \"\(tag.opaqueTag)\"").matches(tag),
            "what is no tag is passed over")
    }

    private static func names(_ target: RequestTarget) -> [String?] { target.query.map(\.name) }

    private static func same(_ texts: [String], _ others: [String]) -> Bool {
        texts.count == others.count
            && zip(texts, others).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    private static func require(_ condition: Bool, _ property: String) {
        precondition(condition, property)
    }
}

/// What libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    unsafe RequestFuzzer.run(UnsafeBufferPointer(start: start, count: count))
    return 0
}
