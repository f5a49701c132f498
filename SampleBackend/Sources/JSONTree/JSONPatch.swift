/// Changes of a JSON value, applied in order (RFC 6902).
///
/// ```swift
/// let patch = try JSONPatch(json: [["op": "replace", "path": "/title", "value": "x"]])
/// let changed = try patch.applied(to: ["title": "y"])
/// ```
///
/// Unchanged values keep their form: the order of members, and the digits of numbers.
public struct JSONPatch: Sendable, Hashable {
    /// A change, or a test that must pass for the changes to apply.
    enum Operation: Sendable, Hashable {
        case add(JSONPointer, JSONNode)
        case remove(JSONPointer)
        case replace(JSONPointer, JSONNode)
        case move(from: JSONPointer, to: JSONPointer)
        case copy(from: JSONPointer, to: JSONPointer)
        case test(JSONPointer, JSONNode)
    }

    let operations: [Operation]

    /// Reads a patch.
    ///
    /// - Parameters:
    ///   - json: An array of operations: `add`, `remove`, `replace`, `move`, `copy` and `test`.
    ///     Unknown members of an operation are ignored.
    ///   - limits: The limits on the number of operations.
    /// - Throws: ``JSONPatchError`` with the code `malformed`.
    public init(json: JSONNode, limits: JSONPatchLimits = .default) throws(JSONPatchError) {
        guard case .array(let nodes) = json else {
            throw JSONPatchError(
                .malformed, "The patch is \(json.kindDescription): send an array of operations.")
        }
        guard nodes.count <= limits.maximumOperations else {
            throw JSONPatchError(
                .malformed,
                "The patch has \(nodes.count) operations: send at most "
                    + "\(limits.maximumOperations).")
        }
        var operations: [Operation] = []
        operations.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated() {
            operations.append(try Operation(node, index: index))
        }
        self.operations = operations
    }

    /// Returns the value with all changes, or throws without any change.
    ///
    /// - Parameters:
    ///   - document: The original value.
    ///   - limits: The limits on the result and on the work.
    /// - Returns: The changed value.
    /// - Throws: ``JSONPatchError`` with the code `notApplicable`, or `tooLarge` if the result is
    ///   too
    ///   large or nested too deeply.
    public func applied(
        to document: JSONNode, limits: JSONPatchLimits = .default
    ) throws(JSONPatchError) -> JSONNode {
        var application = JSONPatchApplication(document: document, limits: limits)
        for (index, operation) in operations.enumerated() {
            try application.apply(operation, index: index)
        }
        return application.document
    }
}

extension JSONPatch.Operation {
    fileprivate init(_ node: JSONNode, index: Int) throws(JSONPatchError) {
        func fail(_ message: String) -> JSONPatchError {
            JSONPatchError(.malformed, "Operation \(index) of the patch \(message)")
        }
        guard case .object = node else {
            throw fail("is \(node.kindDescription): send an object.")
        }
        func pointer(_ name: String) throws(JSONPatchError) -> JSONPointer {
            guard let pointer = node[name]?.stringValue.flatMap(JSONPointer.init(_:)) else {
                throw fail(
                    "has no valid \(name): send a JSON Pointer such as \"/parameters/title\".")
            }
            return pointer
        }
        func value() throws(JSONPatchError) -> JSONNode {
            guard let value = node["value"] else { throw fail("has no value: send one.") }
            return value
        }
        switch node["op"]?.stringValue {
        case "add": self = .add(try pointer("path"), try value())
        case "remove": self = .remove(try pointer("path"))
        case "replace": self = .replace(try pointer("path"), try value())
        case "test": self = .test(try pointer("path"), try value())
        case "copy": self = .copy(from: try pointer("from"), to: try pointer("path"))
        case "move":
            let (from, to) = (try pointer("from"), try pointer("path"))
            guard !from.contains(to) else {
                throw fail("moves a value into itself: send another path.")
            }
            self = .move(from: from, to: to)
        default:
            throw fail("has no known op: send add, remove, replace, move, copy or test.")
        }
    }
}

/// The limits of a patch.
public struct JSONPatchLimits: Sendable, Hashable {
    /// The limits for a template.
    public static let `default` = JSONPatchLimits()

    /// Maximum number of operations.
    public var maximumOperations = 10_000

    /// Maximum nesting depth of the result.
    public var maximumDepth = 128

    /// Approximate maximum size of the result as compact text, in bytes.
    ///
    /// It also limits what all operations together copy and move.
    public var maximumSize = 16 << 20

    /// Maximum number of elements and members that all operations together shift in their arrays
    /// and objects.
    ///
    /// Rehashing a key counts half its bytes.
    ///
    /// The default suffices to remove 3,000 parameters one by one, in any order.
    public var maximumShifts = 25_000_000

    /// Creates the default limits.
    public init() {}
}

/// The reason why a patch cannot be read or applied.
public struct JSONPatchError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Sendable, Hashable {
        private enum Kind { case malformed, notApplicable, tooLarge }

        private let kind: Kind

        /// The JSON is not a patch.
        public static let malformed = Code(kind: .malformed)
        /// The value lacks what an operation changes, or a test fails.
        public static let notApplicable = Code(kind: .notApplicable)
        /// The result or the work exceeds a limit.
        public static let tooLarge = Code(kind: .tooLarge)
    }

    /// The kind of failure.
    public let code: Code

    /// One sentence with the operation, the reason and the fix.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
