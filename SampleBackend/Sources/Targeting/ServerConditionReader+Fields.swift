import JSONTree

extension ServerConditionReader {
    /// The members of an object, read with their path for errors; null counts as missing.
    struct Fields {
        private let node: JSONNode

        /// Where the object stands.
        private let parent: String

        /// Takes an object's members.
        ///
        /// - Parameters:
        /// - node: The object.
        /// - path: Where it stands.
        /// - Throws: ``ServerConditionError`` when it is something else.
        init(_ node: JSONNode, at path: String) throws(ServerConditionError) {
            guard case .object = node else {
                throw ServerConditionError(
                    path: path, reason: "expected an object, found \(node.kindDescription)")
            }
            self.node = node
            parent = path
        }

        /// The path of a member.
        ///
        /// - Parameter name: The member's name.
        /// - Returns: Such as `orCondition.conditions`.
        func path(_ name: String) -> String {
            parent.isEmpty ? name : "\(parent).\(name)"
        }

        /// A member, unless it is null.
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

        /// Reads a member that is an object.
        ///
        /// - Parameter name: Its name.
        /// - Returns: nil when it is missing.
        /// - Throws: ``ServerConditionError`` when it is something else.
        func object(_ name: String) throws(ServerConditionError) -> Fields? {
            guard let node = member(name) else { return nil }
            return try Fields(node, at: path(name))
        }

        /// Reads a member that is an array.
        ///
        /// - Parameter name: Its name.
        /// - Returns: nil when it is missing.
        /// - Throws: ``ServerConditionError`` when it is something else.
        func array(_ name: String) throws(ServerConditionError) -> [JSONNode]? {
            guard let node = member(name) else { return nil }
            guard let elements = node.arrayValue else {
                throw mismatch(name, node, expected: "an array")
            }
            return elements
        }

        /// Reads a member that is a text.
        ///
        /// - Parameter name: Its name.
        /// - Returns: nil when it is missing.
        /// - Throws: ``ServerConditionError`` when it is something else.
        func string(_ name: String) throws(ServerConditionError) -> String? {
            guard let node = member(name) else { return nil }
            guard let value = node.stringValue else {
                throw mismatch(name, node, expected: "a string")
            }
            return value
        }

        /// Reads a member that is an array of texts; a number counts as its text in JavaScript.
        ///
        /// - Parameter name: Its name.
        /// - Returns: Empty when it is missing.
        /// - Throws: ``ServerConditionError`` when it is something else.
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

        /// Reads a member that is a number of millionths of a percent.
        ///
        /// - Parameter name: Its name.
        /// - Returns: The number, 0 when it is missing; places are whole, so it is rounded down.
        /// - Throws: ``ServerConditionError`` when it is something else, or outside 0 to
        /// 100,000,000.
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
