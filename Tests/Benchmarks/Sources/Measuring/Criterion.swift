/// Requirement on the ratio between our time and a peer's.
public enum Criterion: Sendable, Hashable {
    /// The peer takes at least this many times as long.
    case timesFaster(Double)
    /// Ours takes at most this many times as long as the peer.
    case atMostTimes(Double)
    /// Ours takes as long as the peer, within a relative tolerance: 0.2 is 20 %.
    case same(within: Double)
    /// No requirement; the ratio is only printed.
    case nothing

    /// Ratio to which the criterion applies.
    ///
    /// - Parameters:
    ///   - ours: Our time.
    ///   - peer: The peer's time, in the same unit.
    /// - Returns: How many times as fast ours is (``timesFaster(_:)``, ``nothing``), or how many
    ///   times as long it takes.
    public func ratio(ours: Double, peer: Double) -> Double {
        switch self {
        case .timesFaster, .nothing: peer / ours
        case .atMostTimes, .same: ours / peer
        }
    }

    /// Judges a ratio.
    public func verdict(on ratio: Double) -> Verdict {
        switch self {
        case .timesFaster(let wanted): ratio >= wanted ? .met : .missed
        case .atMostTimes(let wanted): ratio <= wanted ? .met : .missed
        case .same(let tolerance): abs(ratio - 1) <= tolerance ? .met : .missed
        case .nothing: .information
        }
    }

    /// Text of a ratio, such as `24.1× faster`.
    public func text(of ratio: Double) -> String {
        switch self {
        case .timesFaster, .nothing: "\(Figure.text(of: ratio))× faster"
        case .atMostTimes, .same: "\(Figure.text(of: ratio))×"
        }
    }
}

extension Criterion: CustomStringConvertible {
    /// Text of the requirement, such as `≥ 20× faster`; empty for ``nothing``.
    public var description: String {
        switch self {
        case .timesFaster(let wanted): "≥ \(Figure.text(of: wanted))× faster"
        case .atMostTimes(let wanted): "≤ \(Figure.text(of: wanted))×"
        case .same(let tolerance): "1× ± \(Figure.text(of: tolerance * 100)) %"
        case .nothing: ""
        }
    }
}
