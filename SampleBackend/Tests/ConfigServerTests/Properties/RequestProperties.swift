import HTTPTypes
import NIOCore
import Rendering
import Targeting

@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// Properties that hold for all request targets and all lists of entity tags.
enum RequestProperties {
    private static let patterns =
        (DocumentRequest.patterns + DocumentRequest.streamPatterns
        + DocumentRequest.openFeatureStreamPatterns + ["/console/{page...}", "/"])
        .map { RoutePattern($0) }

    /// Tests a target and, after a line feed, a list of entity tags.
    ///
    /// - Parameter input: Bytes; invalid UTF-8 is repaired.
    /// - Returns: The violated property, or nil.
    static func violation(_ input: [UInt8]) -> String? {
        let lines = input.split(
            separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        if let violation = violation(ofTarget: lines[0]) { return violation }
        return lines.count > 1 ? violation(ofTags: lines[1]) : nil
    }

    private static func violation(ofTarget text: String) -> String? {
        guard let target = try? RequestTarget(text) else { return nil }
        if target.segments.isEmpty { return "a path has a segment" }
        let path = "/" + target.segments.map(\.percentEncoded).joined(separator: "/")
        guard let again = try? RequestTarget(path), same(again.segments, target.segments) else {
            return "a path reads back"
        }
        if text.utf8.first == UInt8(ascii: "/") {
            guard let absolute = try? RequestTarget("hTTp://user@host:1" + text),
                same(absolute.segments, target.segments),
                absolute.query.map(\.name) == target.query.map(\.name)
            else { return "the absolute form is the same target" }
        }
        for pattern in patterns where RouteTable([pattern]).index(of: target.segments) != nil {
            if RouteTable([pattern]).index(of: again.segments) == nil {
                return "the same path has the same route"
            }
            let request = RouteRequest(
                method: .get, target: target,
                parameters: PathParameters(target.segments, of: pattern))
            guard let request = try? DocumentRequest(request) else { continue }
            if request.signals.custom.count > Signals.maximumCustomCount {
                return "the signals are within their limits"
            }
        }
        return violation(ofParameters: target.query)
    }

    private static func violation(ofParameters query: QueryParameters) -> String? {
        for parameter in query {
            guard let name = parameter.name, let value = parameter.value,
                !name.isEmpty || !value.isEmpty
            else { continue }
            let encoded = QueryParameters("\(name.percentEncoded)=\(value.percentEncoded)")
            guard let copy = encoded.first(where: { _ in true }), let copiedName = copy.name,
                let copiedValue = copy.value, same([copiedName, copiedValue], [name, value])
            else { return "a parameter reads back" }
        }
        return nil
    }

    private static func violation(ofTags list: String) -> String? {
        let entityTag = EntityTag(ofContent: ByteBuffer())
        let tag = entityTag.opaqueTag
        let isThere = list.contains("*") || list.contains(tag)
        if EntityTagCondition(list).matches(tag), !isThere { return "a tag is found where it is" }
        if !EntityTagCondition("W/\(entityTag), \(list)").matches(tag) {
            return "a tag is found, whatever follows it"
        }
        if !EntityTagCondition("x, \(entityTag)").matches(tag) {
            return "what is no tag is passed over"
        }
        return nil
    }

    private static func same(_ texts: [String], _ others: [String]) -> Bool {
        texts.count == others.count
            && zip(texts, others).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}
