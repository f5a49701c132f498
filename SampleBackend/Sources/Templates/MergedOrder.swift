import JSONTree

/// The order of names after a merge.
struct MergedOrder: Sendable {
    /// The names of each side in order.
    let sides: MergeSides<[ExactText]>

    init(_ sides: MergeSides<[ExactText]>) {
        self.sides = sides
    }

    /// True when both sides reordered the common names in different ways.
    var isConflict: Bool {
        let orders = commonOrders
        return orders.mine != orders.base && orders.theirs != orders.base
            && orders.mine != orders.theirs
    }

    /// The names of both sides, without duplicates, including names that one side has removed.
    ///
    /// The order is that of the side that reordered, or of `side` when both did. A name that only
    /// the other side has follows the shared name that precedes it there.
    func names(preferring side: TemplateMerge.Side) -> [ExactText] {
        let orders = commonOrders
        return names(
            leading: orders.mine == orders.base
                ? .theirs : orders.theirs == orders.base ? .mine : side)
    }

    /// The names of both sides in the order of one of them.
    func names(leading side: TemplateMerge.Side) -> [ExactText] {
        let leading = sides[side]
        let following = sides[side == .mine ? .theirs : .mine]
        let present = Set(leading)
        var followers: [ExactText: [ExactText]] = [:]
        var beginning: [ExactText] = []
        var anchor: ExactText?
        for name in following {
            if present.contains(name) {
                anchor = name
            } else if let anchor {
                followers[anchor, default: []].append(name)
            } else {
                beginning.append(name)
            }
        }
        return beginning + leading.flatMap { [$0] + (followers[$0] ?? []) }
    }

    /// The orders of the names that all three versions have.
    private var commonOrders: MergeSides<[ExactText]> {
        let common = Set(sides.base).intersection(sides.mine).intersection(sides.theirs)
        return sides.map { $0.filter(common.contains) }
    }
}
