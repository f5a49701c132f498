import HTTPServing
import HTTPTypes
import TemplateStore

extension StateExpectation {
    /// Reads `If-Match`, or `If-None-Match: *` for a new resource; nil without either field.
    ///
    /// The tag may lack quotation marks, and may be weak because compressing proxies weaken it.
    ///
    /// - Throws: A ``RequestError`` with status 400 for both fields, for any other `If-None-Match`,
    ///   and for an `If-Match` with no tag or several tags.
    init?(_ fields: RequestFields) throws(RequestError) {
        switch (fields[.ifMatch], fields[.ifNoneMatch]) {
        case (nil, nil): return nil
        case (nil, "*"?): self = .absent
        case ("*"?, nil): self = .present
        case (let ifMatch?, nil): self = .tag(try Self.tag(ifMatch))
        default:
            throw .invalidArgument(
                "Send either If-Match with the ETag of the state to replace, or If-None-Match: * "
                    + "to create it.")
        }
    }

    private static func tag(_ ifMatch: String) throws(RequestError) -> String {
        var tag = ifMatch.utf8[...]
        if tag.starts(with: "W/".utf8) { tag = tag.dropFirst(2) }
        let quote = UInt8(ascii: "\"")
        if tag.count >= 2, tag.first == quote, tag.last == quote {
            tag = tag.dropFirst().dropLast()
        }
        guard !tag.isEmpty, !tag.contains(quote) else {
            throw .invalidArgument(
                "If-Match is empty or has several tags: send the ETag of the state to replace.")
        }
        return String(Substring(tag))
    }
}
