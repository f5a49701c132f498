extension SettingValue: Hashable {
    /// The levels of arrays and objects whose content counts for the hash.
    ///
    /// Of deeper ones only the number of elements does, so that no depth overflows the stack.
    private static let hashedLevels = 16

    /// Whether both are of the same kind and equal; the order of an object's members does not count.
    public static func == (left: SettingValue, right: SettingValue) -> Bool {
        // Not recursive: the depth of a value is not bounded by the stack.
        var pending: [(SettingValue, SettingValue)] = []
        guard isEqual(left, right, but: &pending) else { return false }
        while let (left, right) = pending.popLast() {
            guard isEqual(left, right, but: &pending) else { return false }
        }
        return true
    }

    /// Feeds the kind and the content, of deeply nested values only a part.
    public func hash(into hasher: inout Hasher) {
        hash(into: &hasher, levels: Self.hashedLevels)
    }

    /// Whether the value is an array or an object.
    var isContainer: Bool {
        switch self {
        case .array, .object: true
        case .null, .bool, .integer, .double, .string: false
        }
    }

    /// Whether both are equal, if the pairs of arrays and objects are that go to `pending`.
    private static func isEqual(
        _ left: SettingValue, _ right: SettingValue,
        but pending: inout [(SettingValue, SettingValue)]
    ) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.integer(let left), .integer(let right)): return left == right
        case (.double(let left), .double(let right)): return left == right
        case (.string(let left), .string(let right)): return left == right
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return false }
            for index in left.indices {
                guard isEqualUnlessNested(left[index], right[index], but: &pending) else {
                    return false
                }
            }
            return true
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            for (key, value) in left {
                guard let other = right[key],
                    isEqualUnlessNested(value, other, but: &pending)
                else { return false }
            }
            return true
        default: return false
        }
    }

    /// Compares two elements, or puts them off when both are arrays or objects.
    private static func isEqualUnlessNested(
        _ left: SettingValue, _ right: SettingValue,
        but pending: inout [(SettingValue, SettingValue)]
    ) -> Bool {
        guard left.isContainer, right.isContainer else {
            return isEqual(left, right, but: &pending)
        }
        pending.append((left, right))
        return true
    }

    private func hash(into hasher: inout Hasher, levels: Int) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let elements):
            hasher.combine(elements.count)
            guard levels > 0 else { return }
            for element in elements { element.hash(into: &hasher, levels: levels - 1) }
        case .object(let members):
            hasher.combine(members.count)
            guard levels > 0 else { return }
            // A sum, since the order does not count.
            var sum = 0
            for (key, value) in members {
                var own = Hasher()
                own.combine(key)
                value.hash(into: &own, levels: levels - 1)
                sum &+= own.finalize()
            }
            hasher.combine(sum)
        }
    }
}
