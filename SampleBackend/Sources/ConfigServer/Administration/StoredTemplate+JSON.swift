import Foundation
import JSONTree
import TemplateStore
import Templates

extension StoredTemplate {
    /// The template as clients get it: what was published, and `version` behind it.
    var contentWithVersion: Data {
        var result = content
        // The content is compact JSON of an object, so its last byte is the bracket.
        result.removeLast()
        result.append(contentsOf: result.count > 1 ? ",\"version\":".utf8 : "\"version\":".utf8)
        result.append(version.json.jsonData())
        result.append(UInt8(ascii: "}"))
        return result
    }
}
