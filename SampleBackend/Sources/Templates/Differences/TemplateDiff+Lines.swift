import JSONTree
import OrderedCollections

extension TemplateDiff {
    /// A line of the differences as people read them.
    public struct Line: Sendable, Hashable {
        /// What the line is about.
        public enum Kind: Sendable, Hashable {
            /// The thing that the lines below are about.
            case heading(Change)
            /// What is no longer so.
            case old
            /// What is so now.
            case new
        }

        /// What the line is about.
        public let kind: Kind

        /// The line, with a mark before it: `+`, `-` or `~`.
        public let text: String
    }

    /// The differences as lines, for a terminal.
    public var lines: [Line] {
        let conditions = conditions.map { ("condition \($0.name)", $0.change, $0.parts) }
        let groups = groups.map { ("group \($0.name)", $0.change, $0.parts) }
        let parameters = parameters.map { ("\($0.section).\($0.key)", $0.change, $0.parts) }
        return (conditions + groups + parameters).flatMap { name, change, parts in
            [Line(kind: .heading(change), text: "\(change.mark) \(name)")]
                + parts.flatMap { part in
                    [
                        part.old.map {
                            Line(kind: .old, text: "    - \(part.name): \($0.shortText)")
                        },
                        part.new.map {
                            Line(kind: .new, text: "    + \(part.name): \($0.shortText)")
                        },
                    ].compactMap { $0 }
                }
        }
    }
}

extension TemplateDiff.Change {
    /// The sign before a line.
    fileprivate var mark: String {
        switch self {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        }
    }
}

extension JSONNode {
    /// The value for people: of `{"value": "x"}` only the text.
    fileprivate var shortText: String {
        if case .object(let members) = self, members.count == 1, let text = members["value"] {
            return text.description
        }
        return description
    }
}
