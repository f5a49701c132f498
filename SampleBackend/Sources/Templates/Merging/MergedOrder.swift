/// The order of names that two sides changed.
struct MergedOrder: Sendable {
    /// The names of the version that both sides began with.
    let base: [String]

    /// The names of the side that is about to be published.
    let mine: [String]

    /// The names of the side that was published in the meantime.
    let theirs: [String]

    /// Whether both sides moved names that all three have, and not alike.
    var isConflict: Bool {
        let (base, mine, theirs) = commonOrders
        return mine != base && theirs != base && mine != theirs
    }

    /// The names of either side, each once.
    ///
    /// The side that moved names gives the order; each name that only the other side has follows
    /// the one it follows there.
    ///
    /// - Parameter side: Whose order counts when both moved names.
    /// - Returns: The names, also those that one side has removed.
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

    /// The order that each of the three has of the names that all have.
    private var commonOrders: (base: [String], mine: [String], theirs: [String]) {
        let common = Set(base).intersection(mine).intersection(theirs)
        return (
            base.filter(common.contains), mine.filter(common.contains),
            theirs.filter(common.contains)
        )
    }
}
