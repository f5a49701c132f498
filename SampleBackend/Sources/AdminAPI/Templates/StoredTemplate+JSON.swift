import Foundation
import HTTPServing
import JSONTree
import TemplateStore
import Templates

extension StoredTemplate {
    /// The template in responses: the published JSON with `version` as its last member.
    var contentWithVersion: Data {
        var result = content
        // The content is a compact JSON object, so its last byte is the closing brace.
        result.removeLast()
        result.append(contentsOf: result.count > 1 ? ",\"version\":".utf8 : "\"version\":".utf8)
        result.append(version.json.jsonData())
        result.append(UInt8(ascii: "}"))
        return result
    }
}

extension JSONNode {
    /// A version number given as a string or as a number; nil for anything else.
    var versionNumber: Int? {
        switch self {
        case .string(let text): return Int(decimal: text)
        case .number(let text):
            // JSON Schema counts 3.0 as an integer, and some clients write it for 3.
            let number = Int(decimal: text) ?? Double(text).flatMap { Int(exactly: $0) }
            return number.flatMap { (0...Int.maximumDecimal).contains($0) ? $0 : nil }
        default: return nil
        }
    }
}
