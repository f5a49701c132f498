/// Unicode split into classes of scalars that a regular expression does not tell apart.
struct ScalarClasses: Sendable {
    /// The most intervals times sets that are compared.
    private static let maximumWork = 200_000

    /// The first scalar of each interval, in order.
    private let starts: [UInt32]

    /// The class of each interval.
    private let classes: [UInt16]

    /// The class of each ASCII character.
    let ascii: [UInt16]

    /// A scalar of each class.
    let representatives: [UInt32]

    /// The number of classes.
    var count: Int { representatives.count }

    /// The number of intervals.
    var intervalCount: Int { starts.count }

    /// Splits Unicode.
    ///
    /// - Parameter sets: The sets that must be unions of classes. nil is returned when there are
    ///   too many.
    init?(_ sets: [ScalarSet]) {
        let sets = sets + [.words, .newline]
        let rangeCount = sets.reduce(0) { $0 + $1.ranges.count }
        guard rangeCount * sets.count <= Self.maximumWork else { return nil }
        var bounds: Set<UInt32> = [0]
        for range in sets.lazy.flatMap(\.ranges) {
            bounds.insert(range.lowerBound)
            if range.upperBound < ScalarSet.maximum { bounds.insert(range.upperBound + 1) }
        }
        let starts = bounds.sorted()
        var numbers: [[Bool]: UInt16] = [:]
        var representatives: [UInt32] = []
        var classes: [UInt16] = []
        for start in starts {
            let memberships = sets.map { $0.contains(start) }
            if let number = numbers[memberships] {
                classes.append(number)
                continue
            }
            guard let number = UInt16(exactly: representatives.count) else { return nil }
            numbers[memberships] = number
            representatives.append(start)
            classes.append(number)
        }
        self.starts = starts
        self.classes = classes
        self.representatives = representatives
        ascii = (0..<128).map { classes[Self.interval(of: $0, in: starts)] }
    }

    /// The class of a scalar.
    ///
    /// - Parameter scalar: The scalar.
    /// - Returns: The class, from 0.
    func index(of scalar: UInt32) -> Int {
        scalar < 128
            ? Int(ascii[Int(scalar)]) : Int(classes[Self.interval(of: scalar, in: starts)])
    }

    /// The last interval that begins at a scalar or before.
    private static func interval(of scalar: UInt32, in starts: [UInt32]) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= scalar { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}
