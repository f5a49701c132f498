import HTTPServing
import HTTPTypes
import TemplateStore

extension StateExpectation {
    /// Reads `If-Match`, or `If-None-Match: *` for something new; nil without either.
    ///
    /// The tag may be without quotation marks, and weak: proxies that compress weaken it.
    ///
    /// - Throws: A ``RequestError`` with status 400 when both, another `If-None-Match`, or an
    ///   `If-Match` without a tag or with several is sent.
    init?(_ fields: RequestFields) throws(RequestError) {
        switch (fields[.ifMatch], fields[.ifNoneMatch]) {
        case (nil, nil): return nil
        case (nil, "*"?): self = .absent
        case ("*"?, nil): self = .present
        case (let ifMatch?, nil): self = .tag(try Self.tag(ifMatch))
        default:
            throw .invalidArgument(
                "Send either If-Match with the ETag of what is replaced, or If-None-Match: * for "
                    + "something new.")
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
                "If-Match is empty or has several tags: send the one ETag of what is replaced.")
        }
        return String(Substring(tag))
    }
}
