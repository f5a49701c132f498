extension Array {
    /// The index of the first element that is not `isBefore`; all elements that are precede it.
    @inline(__always)
    func firstIndex(whereNot isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
