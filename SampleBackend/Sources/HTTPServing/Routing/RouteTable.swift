import JSONTree

/// Finds the pattern of a path in a tree with a node per segment.
///
/// A literal segment precedes a parameter, one with an end a parameter without, and a parameter the
/// rest of a path: `/users/new` is found before `/users/{id}`, whatever their order. Of two patterns that differ in the names of their
/// parameters only, the first one counts.
package struct RouteTable: Sendable {
    private struct Node: Sendable {
        /// Few, so that comparing them all is faster than hashing.
        var literals: [(text: String, node: Int)] = []
        /// The nodes after parameters with an end, such as `{id}:approve`.
        var ended: [(end: String, node: Int)] = []
        /// The node after a parameter without an end.
        var parameter: Int?
        /// The pattern that ends here.
        var end: Int?
        /// The pattern that takes all further segments.
        var rest: Int?
    }

    /// The root first; in an array, because nodes of their own would update reference counts that all
    /// connections share.
    private var nodes = [Node()]

    package init(_ patterns: [RoutePattern]) {
        for (index, pattern) in patterns.enumerated() { add(pattern, index: index) }
    }

    private mutating func add(_ pattern: RoutePattern, index: Int) {
        var node = 0
        for segment in pattern.segments {
            switch segment {
            case .literal(let text):
                if let known = child(of: node, named: text) {
                    node = known
                } else {
                    nodes[node].literals.append((text, nodes.count))
                    node = append()
                }
            case .parameter(_, let end) where !end.isEmpty:
                if let known = nodes[node].ended.first(where: { $0.end.hasSameBytes(as: end) }) {
                    node = known.node
                } else {
                    nodes[node].ended.append((end, nodes.count))
                    node = append()
                }
            case .parameter:
                if let known = nodes[node].parameter {
                    node = known
                } else {
                    nodes[node].parameter = nodes.count
                    node = append()
                }
            case .rest:
                nodes[node].rest = nodes[node].rest ?? index
                return
            }
        }
        nodes[node].end = nodes[node].end ?? index
    }

    private mutating func append() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }

    private func child(of node: Int, named text: String) -> Int? {
        for index in 0..<nodes[node].literals.count
        where nodes[node].literals[index].text.hasSameBytes(as: text) {
            return nodes[node].literals[index].node
        }
        return nil
    }

    /// The index of the pattern that matches the decoded segments of a path; nil when none does.
    package func index(of path: [String]) -> Int? { index(of: path, from: 0, in: 0) }

    private func index(of path: [String], from place: Int, in node: Int) -> Int? {
        guard place < path.count else { return nodes[node].end }
        if let next = child(of: node, named: path[place]),
            let found = index(of: path, from: place + 1, in: next)
        {
            return found
        }
        for (end, next) in nodes[node].ended where path[place].hasBytes(before: end) {
            if let found = index(of: path, from: place + 1, in: next) { return found }
        }
        if let next = nodes[node].parameter,
            let found = index(of: path, from: place + 1, in: next)
        {
            return found
        }
        return nodes[node].rest
    }
}

extension String {
    /// True when the text has an end, and something before it.
    fileprivate func hasBytes(before end: String) -> Bool {
        utf8.count > end.utf8.count && utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
    }
}
