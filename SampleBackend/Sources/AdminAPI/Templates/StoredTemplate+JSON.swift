import Foundation
import HTTPServing
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

extension JSONNode {
    /// The number of a version, which is a string or a number; nil for anything else.
    var versionNumber: Int? {
        switch self {
        case .string(let text): return Int(decimal: text)
        case .number(let text):
            // 3.0 is a whole number to JSON Schema, and what some clients write for 3.
            let number = Int(decimal: text) ?? Double(text).flatMap { Int(exactly: $0) }
            return number.flatMap { (0...Int.maximumDecimal).contains($0) ? $0 : nil }
        default: return nil
        }
    }
}
