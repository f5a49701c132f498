/// What a target wants of the ratio between our time and a peer's.
public enum Criterion: Sendable, Hashable {
    /// The peer takes at least so many times as long.
    case timesFaster(Double)
    /// Ours takes at most so many times as long as the peer.
    case atMostTimes(Double)
    /// Ours takes as long as the peer, give or take a part of it: 0.2 is 20 %.
    case same(within: Double)
    /// Nothing; the ratio is printed to be known.
    case nothing

    /// The ratio that is looked at.
    ///
    /// - Parameters:
    ///   - ours: Our time.
    ///   - peer: The peer's, in the same unit.
    /// - Returns: How many times as fast ours is, or how many times as long it takes.
    public func ratio(ours: Double, peer: Double) -> Double {
        switch self {
        case .timesFaster, .nothing: peer / ours
        case .atMostTimes, .same: ours / peer
        }
    }

    /// Whether a ratio is as wanted.
    public func verdict(on ratio: Double) -> Verdict {
        switch self {
        case .timesFaster(let wanted): ratio >= wanted ? .met : .missed
        case .atMostTimes(let wanted): ratio <= wanted ? .met : .missed
        case .same(let tolerance): abs(ratio - 1) <= tolerance ? .met : .missed
        case .nothing: .information
        }
    }

    /// A ratio as text, such as `24.1× faster`.
    public func text(of ratio: Double) -> String {
        switch self {
        case .timesFaster, .nothing: "\(Figure.text(of: ratio))× faster"
        case .atMostTimes, .same: "\(Figure.text(of: ratio))×"
        }
    }
}

extension Criterion: CustomStringConvertible {
    /// What is wanted, such as `≥ 20× faster`; empty when nothing is.
    public var description: String {
        switch self {
        case .timesFaster(let wanted): "≥ \(Figure.text(of: wanted))× faster"
        case .atMostTimes(let wanted): "≤ \(Figure.text(of: wanted))×"
        case .same(let tolerance): "1× ± \(Figure.text(of: tolerance * 100)) %"
        case .nothing: ""
        }
    }
}
