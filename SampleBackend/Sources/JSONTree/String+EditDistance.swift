extension String {
    /// Returns the number of bytes to insert, remove or replace to turn one text into the other
    /// (Levenshtein), in time proportional to the product of the lengths.
    package func editDistance(to other: String) -> Int {
        let other = Array(other.utf8)
        var row = Array(0...other.count)
        for (index, byte) in utf8.enumerated() {
            var diagonal = index
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (byte == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
