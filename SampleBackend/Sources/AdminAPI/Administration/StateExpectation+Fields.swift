import HTTPServing
import HTTPTypes
import TemplateStore

extension StateExpectation {
    /// Reads `If-Match`, or `If-None-Match: *` for something new; nil without either.
    ///
    /// - Throws: A ``RequestError`` with status 400 when both or another `If-None-Match` is sent.
    init?(_ fields: RequestFields) throws(RequestError) {
        let ifMatch = fields[.ifMatch]
        switch (ifMatch?.isEmpty == false ? ifMatch : nil, fields[.ifNoneMatch]) {
        case (nil, nil): return nil
        case (nil, "*"?): self = .absent
        case ("*"?, nil): self = .present
        case (let text?, nil):
            var tag = text[...]
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            if tag.utf8.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") {
                tag = tag.dropFirst().dropLast()
            }
            self = .tag(String(tag))
        default:
            throw .invalidArgument(
                "Send either If-Match with the ETag of what is replaced, or If-None-Match: * for "
                    + "something new.")
        }
    }
}
