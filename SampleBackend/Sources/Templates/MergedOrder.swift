/// The order of names after a merge.
struct MergedOrder: Sendable {
    /// The names of the version that both sides started from.
    let base: [String]

    /// The names of the side that is about to be published.
    let mine: [String]

    /// The names of the side that was published in the meantime.
    let theirs: [String]

    /// True when both sides reordered the common names in different ways.
    var isConflict: Bool {
        let (base, mine, theirs) = commonOrders
        return mine != base && theirs != base && mine != theirs
    }

    /// The names of both sides, without duplicates, including names that one side has removed.
    ///
    /// The order is that of the side that reordered, or of `side` when both did. A name that only
    /// the other side has follows the shared name that precedes it there.
    func names(preferring side: TemplateMerge.Side) -> [String] {
        let orders = commonOrders
        let leads: TemplateMerge.Side =
            if orders.mine == orders.base { .theirs } else if orders.theirs == orders.base {
                .mine
            } else { side }
        let (leading, following) = leads == .mine ? (mine, theirs) : (theirs, mine)
        let present = Set(leading)
        var followers: [String: [String]] = [:]
        var beginning: [String] = []
        var anchor: String?
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
    private var commonOrders: (base: [String], mine: [String], theirs: [String]) {
        let common = Set(base).intersection(mine).intersection(theirs)
        return (
            base.filter(common.contains), mine.filter(common.contains),
            theirs.filter(common.contains)
        )
    }
}
