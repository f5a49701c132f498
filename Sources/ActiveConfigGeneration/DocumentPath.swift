import ActiveConfig
import ActiveConfigJSON
import Foundation

/// A place in JSON: the path through members and elements.
struct DocumentPath: Sendable, Hashable, CustomStringConvertible {
    enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    let steps: [Step]

    init(_ steps: [Step] = []) { self.steps = steps }

    init(members: String...) { steps = members.map { .member($0) } }

    static func + (left: DocumentPath, right: DocumentPath) -> DocumentPath {
        DocumentPath(left.steps + right.steps)
    }

    var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .member(let name): text += text.isEmpty ? name : ".\(name)"
            case .element(let index): text += "[\(index)]"
            }
        }
        return text
    }

    /// Line and column of the place in a valid text, or of the longest part of the path that
    /// exists.
    func position(in text: Data) -> (line: Int, column: Int)? {
        do throws(JSONTextError) {
            try JSONReader.read(
                text, maximumSize: .max, maximumDepth: ConfigurationLimits.depthLimit
            ) { (json) throws(JSONFault) in
                let offset = try Self.offset(of: steps[...], in: &json)
                // Only faults are located.
                throw JSONFault(.syntax, at: offset, "")
            }
        } catch {
            return (error.line, error.column)
        }
        return nil
    }

    /// Reads the next value, and returns the offset of a place in it; nil without a path.
    @discardableResult
    private static func offset(
        of path: ArraySlice<Step>?, in json: inout JSONReader
    ) throws(JSONFault) -> Int {
        var offset = json.position
        var isFirst = true
        func read(_ step: Step) throws(JSONFault) {
            isFirst = false
            let isOnPath = path?.first == step
            // Of members with one name the last counts (FORMAT 1.3).
            let place = try Self.offset(of: isOnPath ? path?.dropFirst() : nil, in: &json)
            if isOnPath { offset = place }
        }
        switch json.next {
        case UInt8(ascii: "{"):
            try json.takeOpeningBracket()
            while try json.nextMember(isFirst: isFirst) {
                let name = try json.readString()
                try json.takeColon()
                try read(.member(name))
            }
        case UInt8(ascii: "["):
            try json.takeOpeningBracket()
            var index = 0
            while try json.nextElement(isFirst: isFirst) {
                try read(.element(index))
                index += 1
            }
        default: _ = try json.readScalar()
        }
        return offset
    }
}

/// A default that cannot be read as its type.
struct SettingMismatch: Error {
    /// The path from the default to the part that cannot.
    let path: DocumentPath
    /// A sentence without its full stop.
    let reason: String

    init(path: DocumentPath = DocumentPath(), _ reason: String) {
        self.path = path
        self.reason = reason
    }
}
