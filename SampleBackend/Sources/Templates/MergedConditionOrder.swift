import JSONTree
import OrderedCollections

/// The order of the conditions after a merge.
///
/// The order of two conditions decides values where they *meet*: where a setting has a value for
/// each. The result keeps the order of such a pair: that of the side which changed it since the
/// base, or which alone has both. It is a conflict if
/// - both sides reordered the common conditions in different ways,
/// - the sides order a pair that the base does not have in different ways,
/// - each side added one condition of a pair at the same place, or
/// - the orders form a cycle.
///
/// The choice of a side then keeps its whole order, and of the other one what fits.
/// `template/condition-order.js` of the console follows the same rules.
struct MergedConditionOrder: Sendable {
    /// The conditions of both sides; their indices are their numbers.
    private let names: [ExactText]
    private let numbers: [ExactText: Int]
    private let order: MergedOrder
    private let meetings: ConditionMeetings

    /// Places by number; nil where the side does not have the condition.
    private let places: MergeSides<[Int?]>

    /// By the number of a condition that theirs lack: the first place in theirs of what follows
    /// it in mine.
    private let firstBelow: [Int]

    /// The last place in theirs of what precedes it in mine.
    private let lastAbove: [Int]

    /// True if a side must be chosen.
    private(set) var isConflict = false

    /// Creates the order.
    ///
    /// - Parameters:
    ///   - sides: The conditions of each side.
    ///   - results: The templates that the merge can have as result.
    init(_ sides: MergeSides<[TemplateCondition]>, results: [RemoteConfigTemplate]) {
        let lists = sides.map { $0.map { ExactText($0.name) } }
        names = Array(OrderedSet(lists.mine + lists.theirs))
        let numbers = Dictionary(
            zip(names, names.indices), uniquingKeysWith: { first, _ in first })
        self.numbers = numbers
        order = MergedOrder(lists)
        meetings = ConditionMeetings(in: results, numbers: numbers)
        let count = names.count
        let places = lists.map { list in
            var places = [Int?](repeating: nil, count: count)
            for (place, name) in list.enumerated() {
                if let number = numbers[name] { places[number] = place }
            }
            return places
        }
        self.places = places
        let common = lists.mine.map { numbers[$0].flatMap { places.theirs[$0] } }
        var lastAbove = [Int](repeating: -1, count: count)
        var firstBelow = [Int](repeating: .max, count: count)
        for (index, name) in lists.mine.enumerated().dropFirst() {
            guard let number = numbers[name], let before = numbers[lists.mine[index - 1]]
            else { continue }
            lastAbove[number] = max(lastAbove[before], common[index - 1] ?? -1)
        }
        for (index, name) in lists.mine.enumerated().dropLast().reversed() {
            guard let number = numbers[name], let after = numbers[lists.mine[index + 1]]
            else { continue }
            firstBelow[number] = min(firstBelow[after], common[index + 1] ?? .max)
        }
        self.lastAbove = lastAbove
        self.firstBelow = firstBelow
        var isOpen = false
        meetings.forEachPair { if isInOrder($0, $1) == nil { isOpen = true } }
        isConflict = order.isConflict || isOpen || sequence(preferring: .theirs).isForced
    }

    /// Returns conditions in the merged order.
    func sorted(
        _ conditions: [TemplateCondition], preferring side: TemplateMerge.Side
    ) -> [TemplateCondition] {
        let byName = Dictionary(
            conditions.map { (ExactText($0.name), $0) }, uniquingKeysWith: { first, _ in first })
        return sequence(preferring: side).numbers.compactMap { byName[names[$0]] }
    }

    /// What the choice of a side decides: the conditions that meet and change their order, and the
    /// settings where they meet.
    var stakes: TemplateMerge.Stakes {
        let (mine, theirs) = (sequence(preferring: .mine), sequence(preferring: .theirs))
        var (here, there) = (Array(names.indices), Array(names.indices))
        for (place, number) in mine.numbers.enumerated() { here[number] = place }
        for (place, number) in theirs.numbers.enumerated() { there[number] = place }
        var pairs: [Int: NumberSet] = [:]
        meetings.forEachPair { first, second in
            guard (here[first] < here[second]) != (there[first] < there[second]) else { return }
            pairs[first, default: NumberSet(below: names.count)].insert(second)
            pairs[second, default: NumberSet(below: names.count)].insert(first)
        }
        return TemplateMerge.Stakes(
            conditions: mine.numbers.filter { pairs[$0] != nil }.map { names[$0].text },
            settings: meetings.settings(of: pairs))
    }

    /// True if the first of two conditions precedes the second one; nil if a side must be chosen.
    private func isInOrder(_ first: Int, _ second: Int) -> Bool? {
        let orders = places.map { Self.isInOrder($0[first], $0[second]) }
        switch (orders.mine, orders.theirs) {
        case (let mine?, let theirs?):
            if mine == theirs { return mine }
            return orders.base.map { $0 == mine ? theirs : mine }
        case (let known?, nil), (nil, let known?): return known
        case (nil, nil): return orders.base ?? isInOrderByOthers(first, second)
        }
    }

    private static func isInOrder(_ first: Int?, _ second: Int?) -> Bool? {
        guard let first, let second else { return nil }
        return first < second
    }

    /// True if a condition of both sides is between a condition of each; nil if none is.
    private func isInOrderByOthers(_ first: Int, _ second: Int) -> Bool? {
        guard let place = places.theirs[second] else {
            guard places.theirs[first] != nil else { return nil }
            return isInOrderByOthers(second, first).map { !$0 }
        }
        guard places.mine[first] != nil else { return nil }
        let (isAbove, isBelow) = (firstBelow[first] < place, lastAbove[first] > place)
        return isAbove == isBelow ? nil : isAbove
    }

    /// The numbers in the merged order; `isForced` is true if the known orders form a cycle.
    ///
    /// Takes the first of the preferred order that follows nothing that is left, or, in a cycle,
    /// nothing that is left of the chosen side.
    private func sequence(
        preferring side: TemplateMerge.Side
    ) -> (numbers: [Int], isForced: Bool) {
        let list = isConflict ? order.names(leading: side) : order.names(preferring: side)
        var rest = list.compactMap { numbers[$0] }
        var previous = [Int?](repeating: nil, count: names.count)
        if isConflict {
            let chosen = order.sides[side].compactMap { numbers[$0] }
            for (before, number) in zip(chosen, chosen.dropFirst()) { previous[number] = before }
        }
        var (following, waiting) = following(preferring: side)
        var isLeft = [Bool](repeating: true, count: names.count)
        var sequence: (numbers: [Int], isForced: Bool) = ([], false)
        while !rest.isEmpty {
            let isFree = { (number: Int) in previous[number].map { !isLeft[$0] } ?? true }
            var index = rest.firstIndex { isFree($0) && waiting[$0] == 0 }
            if index == nil {
                sequence.isForced = true
                index = rest.firstIndex(where: isFree)
            }
            guard let index else { break }
            let number = rest.remove(at: index)
            sequence.numbers.append(number)
            isLeft[number] = false
            for follower in following[number] { waiting[follower] -= 1 }
            following[number] = []
        }
        return sequence
    }

    /// The conditions that must follow each condition, and how many each must follow; without
    /// pairs that the chosen side of a conflict has.
    private func following(
        preferring side: TemplateMerge.Side
    ) -> (following: [[Int]], waiting: [Int]) {
        var following = [[Int]](repeating: [], count: names.count)
        var waiting = [Int](repeating: 0, count: names.count)
        let chosen = places[side]
        meetings.forEachPair { first, second in
            if isConflict, chosen[first] != nil, chosen[second] != nil { return }
            let isInOrder = isInOrder(first, second) ?? (chosen[first] != nil)
            let (before, after) = isInOrder ? (first, second) : (second, first)
            following[before].append(after)
            waiting[after] += 1
        }
        return (following, waiting)
    }
}
