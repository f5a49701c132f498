import JSONTree
import OrderedCollections

/// A user's document, which computes the printed changes between two states.
struct WatchedDocument: Sendable, Hashable {
    /// One line of the printed changes.
    enum Line: Sendable, Hashable {
        /// The name of a section that changed or was removed.
        case section(String, isGone: Bool)
        case added(String, JSONNode)
        case removed(String, JSONNode)
        case changed(String, from: JSONNode, to: JSONNode)
    }

    /// Values by section and key.
    // names: as clients compare them (FORMAT 1.3), since an update names one of two spellings
    private var sections: [String: NamedValues<JSONNode>]

    /// Reads a document in the exchange format.
    init(_ document: JSONNode) {
        sections = (document["config_sections"]?.objectValue ?? [:]).reduce(into: [:]) {
            $0[$1.key] = Self.settings(of: $1.value)
        }
    }

    /// Applies the changed sections of an update, in which null removes a section (PROTOCOL 2), and
    /// returns the changes by section and key.
    mutating func apply(_ update: JSONNode) -> [Line] {
        var after = self
        for (name, section) in update.objectValue ?? [:] {
            after.sections[name] = section == .null ? nil : Self.settings(of: section)
        }
        return replace(with: after)
    }

    /// Replaces the document and returns the changes by section and key.
    mutating func replace(with document: WatchedDocument) -> [Line] {
        defer { self = document }
        var lines: [Line] = []
        for name in Set(sections.keys).union(document.sections.keys).sortedByBytes() {
            let (before, after) = (sections[name], document.sections[name])
            guard before != after else { continue }
            lines.append(.section(name, isGone: after == nil))
            for key in Set((before ?? [:]).keys).union((after ?? [:]).keys).sortedByBytes() {
                switch (before?[key], after?[key]) {
                case (nil, let new?): lines.append(.added(key, new))
                case (let old?, nil): lines.append(.removed(key, old))
                case (let old?, let new?) where old != new:
                    lines.append(.changed(key, from: old, to: new))
                default: break
                }
            }
        }
        return lines
    }

    private static func settings(of section: JSONNode) -> NamedValues<JSONNode> {
        (section["settings"]?.objectValue ?? [:]).reduce(into: [:]) {
            $0[$1.key] = $1.value["value"] ?? .null
        }
    }
}

extension WatchedDocument.Line {
    /// The line for a terminal, coloured when colours are on.
    var text: String {
        switch self {
        case .section(let name, let isGone):
            return "  " + Terminal.colored(name, .bold) + (isGone ? " is gone" : "")
        case .added(let key, let value):
            return "    " + Terminal.colored("+ \(key): \(value)", .green)
        case .removed(let key, let value):
            return "    " + Terminal.colored("- \(key): \(value)", .red)
        case .changed(let key, let old, let new):
            return "    ~ \(key): " + Terminal.colored("\(old)", .red) + " → "
                + Terminal.colored("\(new)", .green)
        }
    }
}
