import OrderedCollections

/// A value to which a patch is being applied, with the remaining limits.
///
/// The depth of the value never exceeds the limit, which bounds all recursion.
struct JSONPatchApplication {
    private(set) var document: JSONNode
    private let limits: JSONPatchLimits
    /// The approximate size of the document as compact text, in bytes.
    private var size: Int
    private var copiedSize = 0
    private var shifts = 0

    init(document: JSONNode, limits: JSONPatchLimits) {
        self.document = document
        self.limits = limits
        size = document.extent.size
    }

    /// Applies an operation; `index` is its index in the patch, for error messages.
    mutating func apply(_ operation: JSONPatch.Operation, index: Int) throws(JSONPatchError) {
        do throws(Fault) {
            switch operation {
            case .add(let path, let value): try insert(value, at: path, .add)
            case .remove(let path): _ = try remove(at: path)
            case .replace(let path, let value): try insert(value, at: path, .replace)
            case .test(let path, let value):
                guard try self.value(at: path).hasSameValue(as: value) else {
                    throw Fault("the value there is different")
                }
            case .copy(let from, let to):
                let value = try self.value(at: from)
                try countCopy(of: value)
                try insert(value, at: to, .add)
            case .move(let from, let to):
                if from == to {
                    _ = try value(at: from)
                    return
                }
                let value = try remove(at: from)
                try countCopy(of: value)
                try insert(value, at: to, .add)
            }
        } catch {
            throw JSONPatchError(
                error.code,
                "Operation \(index) of the patch, \(operation.name) "
                    + "\"\(operation.path.description.shortened)\", cannot be applied: "
                    + "\(error.reason).")
        }
    }

    private struct Fault: Error {
        let code: JSONPatchError.Code
        let reason: String

        init(_ reason: String, code: JSONPatchError.Code = .notApplicable) {
            self.reason = reason
            self.code = code
        }

        static let absent = Fault("there is no value at that path")
    }

    private enum Insertion { case add, replace }

    private mutating func countCopy(of value: JSONNode) throws(Fault) {
        copiedSize += value.extent.size
        if copiedSize > limits.maximumSize {
            throw Fault("the patch copies and moves too much", code: .tooLarge)
        }
    }

    private func value(at path: JSONPointer) throws(Fault) -> JSONNode {
        var value = document
        for token in path.tokens {
            switch value {
            case .object(let members):
                guard let member = members[token] else { throw .absent }
                value = member
            case .array(let elements):
                guard let index = Self.index(token), index < elements.count else { throw .absent }
                value = elements[index]
            default: throw .absent
            }
        }
        return value
    }

    private mutating func insert(
        _ value: JSONNode, at path: JSONPointer, _ insertion: Insertion
    ) throws(Fault) {
        let extent = value.extent
        guard path.tokens.count + extent.depth <= limits.maximumDepth else {
            throw Fault(
                "the result would be nested deeper than \(limits.maximumDepth)", code: .tooLarge)
        }
        let growth = extent.size - (try removedSize(of: path, insertion))
        guard size + growth <= limits.maximumSize else {
            throw Fault(
                "the result would have more than \(limits.maximumSize) bytes", code: .tooLarge)
        }
        guard let last = path.tokens.last else {
            document = value
            size = extent.size
            return
        }
        try change(at: path) { container, shifts throws(Fault) in
            if var members = container.takenMembers() {
                defer { container = .object(members) }
                guard insertion == .add || members[last] != nil else { throw .absent }
                members.updateValue(value, forKey: last)
            } else if var elements = container.takenElements() {
                defer { container = .array(elements) }
                let index = last == "-" && insertion == .add ? elements.count : Self.index(last)
                guard let index, index < elements.count + (insertion == .add ? 1 : 0) else {
                    throw .absent
                }
                if insertion == .add {
                    shifts += elements.count - index
                    elements.insert(value, at: index)
                } else {
                    elements[index] = value
                }
            } else {
                throw .absent
            }
        }
        size += growth
    }

    /// The size of what an insertion replaces, less the size of a new member's name.
    private func removedSize(
        of path: JSONPointer, _ insertion: Insertion
    ) throws(Fault) -> Int {
        guard let last = path.tokens.last else { return size }
        switch try value(at: JSONPointer(tokens: Array(path.tokens.dropLast()))) {
        case .object(let members):
            return members[last]?.extent.size ?? -Self.nameSize(last)
        case .array(let elements):
            guard insertion == .replace, let index = Self.index(last), index < elements.count
            else { return 0 }
            return elements[index].extent.size
        default: throw .absent
        }
    }

    /// The size of a member's name with its quotation marks, colon and comma.
    private static func nameSize(_ name: String) -> Int { name.utf8.count + 4 }

    private mutating func remove(at path: JSONPointer) throws(Fault) -> JSONNode {
        guard let last = path.tokens.last else {
            throw Fault("the whole value cannot be removed")
        }
        var removed = JSONNode.null
        var nameSize = 0
        try change(at: path) { container, shifts throws(Fault) in
            if var members = container.takenMembers() {
                defer { container = .object(members) }
                guard let index = members.index(forKey: last) else { throw .absent }
                nameSize = Self.nameSize(last)
                shifts += Self.shifts(ofRemoving: index, from: members.keys)
                removed = members.remove(at: index).value
            } else if var elements = container.takenElements() {
                defer { container = .array(elements) }
                guard let index = Self.index(last), index < elements.count else { throw .absent }
                shifts += elements.count - index
                removed = elements.remove(at: index)
            } else {
                throw .absent
            }
        }
        size -= removed.extent.size + nameSize
        return removed
    }

    /// The work of removing a member: later members shift, and the keys on the shorter side are
    /// rehashed, byte by byte, to update their positions.
    private static func shifts(ofRemoving index: Int, from keys: OrderedSet<ExactText>) -> Int {
        let (before, after) = (keys.elements[..<index], keys.elements[(index + 1)...])
        let rehashed = before.count < after.count ? before : after
        return after.count + rehashed.reduce(0) { $0 + 1 + $1.text.utf8.count / 2 }
    }

    /// Changes the container at a path in place, without copying what surrounds it.
    private mutating func change(
        at path: JSONPointer, _ body: (inout JSONNode, inout Int) throws(Fault) -> Void
    ) throws(Fault) {
        try Self.change(&document, path.tokens.dropLast(), &shifts, body)
        if shifts > limits.maximumShifts {
            throw Fault("the patch moves too many elements; send it in parts", code: .tooLarge)
        }
    }

    /// The document's depth bounds the path's length, and so the recursion.
    private static func change(
        _ node: inout JSONNode, _ path: ArraySlice<String>, _ shifts: inout Int,
        _ body: (inout JSONNode, inout Int) throws(Fault) -> Void
    ) throws(Fault) {
        guard let token = path.first else { return try body(&node, &shifts) }
        if var members = node.takenMembers() {
            defer { node = .object(members) }
            guard let index = members.index(forKey: token) else { throw .absent }
            try change(&members.values[index], path.dropFirst(), &shifts, body)
        } else if var elements = node.takenElements() {
            defer { node = .array(elements) }
            guard let index = index(token), index < elements.count else { throw .absent }
            try change(&elements[index], path.dropFirst(), &shifts, body)
        } else {
            throw .absent
        }
    }

    /// An array index: digits without a leading zero.
    private static func index(_ token: String) -> Int? {
        guard (1...9).contains(token.utf8.count),
            token.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            token.utf8.count == 1 || token.utf8.first != 0x30
        else { return nil }
        return Int(token)
    }
}

extension JSONPatch.Operation {
    fileprivate var name: String {
        switch self {
        case .add: "add"
        case .remove: "remove"
        case .replace: "replace"
        case .move: "move"
        case .copy: "copy"
        case .test: "test"
        }
    }

    fileprivate var path: JSONPointer {
        switch self {
        case .add(let path, _), .remove(let path), .replace(let path, _), .test(let path, _),
            .move(_, let path), .copy(_, let path):
            path
        }
    }
}

extension JSONNode {
    /// Takes the members out of an object, and leaves null; nil for another value.
    ///
    /// Members with a single owner change in place. A `switch` over the value would keep a second
    /// reference, so that each change would copy the whole container.
    fileprivate mutating func takenMembers() -> NamedValues<JSONNode>? {
        guard case .object(let members) = self else { return nil }
        self = .null
        return members
    }

    /// Takes the elements out of an array, as ``takenMembers()`` does with members.
    fileprivate mutating func takenElements() -> [JSONNode]? {
        guard case .array(let elements) = self else { return nil }
        self = .null
        return elements
    }

    /// The approximate size of the compact text in bytes, and the nesting depth, which is 0 for a
    /// scalar.
    ///
    /// The depth bounds the recursion; parsed values have limited depth.
    fileprivate var extent: (size: Int, depth: Int) {
        switch self {
        case .null, .bool: return (5, 0)
        case .number(let text): return (text.utf8.count + 1, 0)
        case .string(let text): return (text.utf8.count + 3, 0)
        case .array(let elements):
            var (size, depth) = (2, 0)
            for element in elements {
                let extent = element.extent
                size += extent.size
                depth = max(depth, extent.depth)
            }
            return (size, depth + 1)
        case .object(let members):
            var (size, depth) = (2, 0)
            for (key, value) in members {
                let extent = value.extent
                size += extent.size + key.utf8.count + 4
                depth = max(depth, extent.depth)
            }
            return (size, depth + 1)
        }
    }
}
