import JSONTree

/// What the three templates of a merge have at one place.
struct MergeSides<Part> {
    /// In the template from which both sides started.
    var base: Part

    /// In the template to publish.
    var mine: Part

    /// In the template published in the meantime.
    var theirs: Part

    func map<Other>(_ transform: (Part) throws -> Other) rethrows -> MergeSides<Other> {
        MergeSides<Other>(
            base: try transform(base), mine: try transform(mine), theirs: try transform(theirs))
    }

    subscript(side: TemplateMerge.Side) -> Part { side == .mine ? mine : theirs }
}

extension MergeSides: Sendable where Part: Sendable {}

extension MergeSides {
    /// The three members of a name.
    subscript<Member>(name: ExactText) -> MergeSides<Member?> where Part == NamedValues<Member> {
        map { $0[name] }
    }
}
