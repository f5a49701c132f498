import JSONTree
import OrderedCollections

/// A type that is a user's document as a terminal shows its changes.
struct WatchedDocument: Sendable, Hashable {
    /// One line of what has changed.
    enum Line: Sendable, Hashable {
        /// The name of a section, and whether it is there afterwards.
        case section(String, isGone: Bool)
        /// A setting that is new.
        case added(String, JSONNode)
        /// A setting that is gone.
        case removed(String, JSONNode)
        /// A setting with another value.
        case changed(String, from: JSONNode, to: JSONNode)
    }

    /// The values by section and key.
    private var sections: [String: [String: JSONNode]]

    /// Reads a document of the exchange format.
    init(_ document: JSONNode) {
        sections = (document["config_sections"]?.objectValue ?? [:]).reduce(into: [:]) {
            $0[$1.key] = Self.settings(of: $1.value)
        }
    }

    /// Takes over a document, or the sections of an update.
    ///
    /// - Parameter update: The sections that changed, null for those that are gone (HTTP 2).
    /// - Returns: What has changed, by section and key.
    mutating func apply(_ update: JSONNode) -> [Line] {
        var after = self
        for (name, section) in update.objectValue ?? [:] {
            after.sections[name] = section == .null ? nil : Self.settings(of: section)
        }
        return replace(with: after)
    }

    /// Takes over another state of the document.
    ///
    /// - Parameter document: The other state.
    /// - Returns: What has changed, by section and key.
    mutating func replace(with document: WatchedDocument) -> [Line] {
        defer { self = document }
        var lines: [Line] = []
        for name in Set(sections.keys).union(document.sections.keys).sorted() {
            let (before, after) = (sections[name], document.sections[name])
            guard before != after else { continue }
            lines.append(.section(name, isGone: after == nil))
            for key in Set((before ?? [:]).keys).union((after ?? [:]).keys).sorted() {
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

    /// The values of a section.
    private static func settings(of section: JSONNode) -> [String: JSONNode] {
        (section["settings"]?.objectValue ?? [:]).reduce(into: [:]) {
            $0[$1.key] = $1.value["value"] ?? .null
        }
    }
}

extension WatchedDocument.Line {
    /// The line for a terminal, coloured where there are colours.
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
