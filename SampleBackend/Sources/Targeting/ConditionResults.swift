/// The results of a template's conditions.
///
/// They determine a user's document, except for `${user.id}` and pinned values.
public struct ConditionResults: Sendable, Hashable {
    /// The number of conditions.
    public let count: Int

    /// The results of the first 256 conditions, stored inline.
    private var first = SIMD4<UInt64>()

    private var others: [UInt64]

    /// Creates results that are all false.
    ///
    /// - Parameter count: The number of conditions.
    public init(count: Int) {
        self.count = count
        let words = (count + 63) / 64
        others = words > 4 ? Array(repeating: 0, count: words - 4) : []
    }

    /// A Boolean value that indicates whether the condition at an index is true.
    ///
    /// - Parameter index: The condition's index, less than ``count``.
    public subscript(index: Int) -> Bool {
        get {
            precondition(index >= 0 && index < count, "There is no condition \(index).")
            return word(index / 64) & (1 << UInt64(index % 64)) != 0
        }
        set {
            precondition(index >= 0 && index < count, "There is no condition \(index).")
            let bit: UInt64 = 1 << UInt64(index % 64)
            let old = word(index / 64)
            setWord(index / 64, to: newValue ? old | bit : old & ~bit)
        }
    }

    /// The results of the conditions that are true in others, of the same template; false for the rest.
    package func masked(by mask: ConditionResults) -> ConditionResults {
        var masked = self
        masked.first &= mask.first
        for index in masked.others.indices { masked.others[index] &= mask.others[index] }
        return masked
    }

    /// Hashes the results.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(first.x)
        if count > 64 {
            hasher.combine(first.y)
            hasher.combine(first.z)
            hasher.combine(first.w)
        }
        for word in others { hasher.combine(word) }
    }

    private func word(_ index: Int) -> UInt64 {
        index < 4 ? first[index] : others[index - 4]
    }

    /// Sets the results of the 64 conditions starting at `64 * index`.
    ///
    /// `word` has one bit for each, lowest first; bits beyond ``count`` are 0.
    mutating func setWord(_ index: Int, to word: UInt64) {
        if index < 4 {
            first[index] = word
        } else {
            others[index - 4] = word
        }
    }
}
