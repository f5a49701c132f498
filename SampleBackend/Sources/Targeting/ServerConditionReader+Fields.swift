import JSONTree

extension ServerConditionReader {
    /// Reads the members of an object, with their paths for errors; null counts as missing.
    struct Fields {
        private let node: JSONNode

        /// Path of the object.
        private let parent: String

        /// - Throws: ``ServerConditionError`` when `node` is not an object.
        init(_ node: JSONNode, at path: String) throws(ServerConditionError) {
            guard case .object = node else {
                throw ServerConditionError(
                    path: path, reason: "expected an object, found \(node.kindDescription)")
            }
            self.node = node
            parent = path
        }

        /// The path of a member, such as `orCondition.conditions`.
        func path(_ name: String) -> String {
            parent.isEmpty ? name : "\(parent).\(name)"
        }

        /// The member, unless it is null.
        private func member(_ name: String) -> JSONNode? {
            guard let member = node[name], member != .null else { return nil }
            return member
        }

        private func mismatch(
            _ name: String, _ node: JSONNode, expected: String
        ) -> ServerConditionError {
            ServerConditionError(
                path: path(name), reason: "expected \(expected), found \(node.kindDescription)")
        }

        /// Reads a member that is an object; nil when it is missing.
        func object(_ name: String) throws(ServerConditionError) -> Fields? {
            guard let node = member(name) else { return nil }
            return try Fields(node, at: path(name))
        }

        /// Reads a member that is an array; nil when it is missing.
        func array(_ name: String) throws(ServerConditionError) -> [JSONNode]? {
            guard let node = member(name) else { return nil }
            guard let elements = node.arrayValue else {
                throw mismatch(name, node, expected: "an array")
            }
            return elements
        }

        /// Reads a member that is a string; nil when it is missing.
        func string(_ name: String) throws(ServerConditionError) -> String? {
            guard let node = member(name) else { return nil }
            guard let value = node.stringValue else {
                throw mismatch(name, node, expected: "a string")
            }
            return value
        }

        /// Reads a member that is an array of strings, empty when it is missing; a number counts as
        /// its JavaScript text.
        func strings(_ name: String) throws(ServerConditionError) -> [String] {
            var strings: [String] = []
            for (index, node) in (try array(name) ?? []).enumerated() {
                switch node {
                case .string(let text): strings.append(text)
                case .number(let text): strings.append(ScriptNumber.text(ofJSON: text))
                default: throw mismatch("\(name)[\(index)]", node, expected: "a string")
                }
            }
            return strings
        }

        /// Reads a member that is a number of millionths of a percent, 0 when it is missing.
        ///
        /// Percentiles are integers, so the number is rounded down.
        ///
        /// - Throws: ``ServerConditionError`` when it is another kind of value, or outside 0 to
        ///   100,000,000.
        func micro(_ name: String) throws(ServerConditionError) -> Int {
            guard let node = member(name) else { return 0 }
            guard let value = node.doubleValue else {
                throw mismatch(name, node, expected: "a number")
            }
            guard value >= 0, value <= Double(Percentile.count) else {
                throw ServerConditionError(
                    path: path(name),
                    reason: "expected millionths of a percent from 0 to \(Percentile.count)")
            }
            return Int(value.rounded(.down))
        }
    }
}
