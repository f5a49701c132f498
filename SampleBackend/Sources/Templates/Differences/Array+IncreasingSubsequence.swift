extension [Int] {
    /// The longest subsequence in which each number is greater than the one before.
    ///
    /// Of the numbers of things in a new order, these have not moved: every other one has.
    var longestIncreasingSubsequence: [Int] {
        // The index of the least number that ends an increasing subsequence of each length.
        var ends: [Int] = []
        var predecessors: [Int?] = []
        for (index, number) in enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if self[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            predecessors.append(low > 0 ? ends[low - 1] : nil)
            if low < ends.count { ends[low] = index } else { ends.append(index) }
        }
        var result: [Int] = []
        var next = ends.last
        while let index = next {
            result.append(self[index])
            next = predecessors[index]
        }
        return result.reversed()
    }
}
