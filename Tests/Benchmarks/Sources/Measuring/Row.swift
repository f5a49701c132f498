/// Line of the report that compares one of our figures with a peer's.
public struct Row: Sendable, Encodable {
    /// Target, such as `F4`.
    public let target: String
    /// Operation that is compared.
    public let what: String
    /// Our figure with its spread, or the result for a fact.
    public let ours: String
    /// The peer with its figure.
    public let peer: String
    /// Ratio; nil for a fact.
    public let ratio: Double?
    /// Ratio as text.
    public let ratioText: String
    /// Requirement as text.
    public let wanted: String
    /// Verdict on the requirement.
    public let verdict: Verdict
    /// Our time in nanoseconds; nil for a fact.
    public let oursInNanoseconds: Double?
    /// The peer's time in nanoseconds; nil for a fact.
    public let peerInNanoseconds: Double?

    /// Row of two measured times.
    ///
    /// - Parameters:
    ///   - target: Target, such as `F4`.
    ///   - what: Operation that is compared.
    ///   - ours: Our samples.
    ///   - peerName: Name of the peer.
    ///   - peer: The peer's samples.
    ///   - criterion: Requirement on the ratio.
    public init(
        _ target: String, _ what: String, ours: Samples, against peerName: String, _ peer: Samples,
        wanted criterion: Criterion
    ) {
        self.init(
            target, what, ours: ours, against: peerName, nanoseconds: peer.median,
            text: Self.text(of: peer), wanted: criterion)
    }

    /// Row of a measured time and a peer's computed time.
    ///
    /// - Parameters:
    ///   - target: Target, such as `F4`.
    ///   - what: Operation that is compared.
    ///   - ours: Our samples.
    ///   - peerName: Name of the peer.
    ///   - nanoseconds: The peer's time.
    ///   - text: The peer's time as text; nil for the time alone.
    ///   - criterion: Requirement on the ratio.
    public init(
        _ target: String, _ what: String, ours: Samples, against peerName: String,
        nanoseconds: Double, text: String? = nil, wanted criterion: Criterion
    ) {
        let ratio = criterion.ratio(ours: ours.median, peer: nanoseconds)
        self.target = target
        self.what = what
        self.ours = Self.text(of: ours)
        peer = "\(peerName) \(text ?? Figure.text(ofNanoseconds: nanoseconds))"
        self.ratio = ratio
        ratioText = criterion.text(of: ratio)
        wanted = criterion.description
        verdict = criterion.verdict(on: ratio)
        oursInNanoseconds = ours.median
        peerInNanoseconds = nanoseconds
    }

    /// Row of a fact, which is either true or false.
    ///
    /// - Parameters:
    ///   - target: Target, such as `F4`.
    ///   - what: Subject of the fact.
    ///   - found: Text of the result.
    ///   - wanted: Text of the requirement.
    ///   - isMet: True if the result meets the requirement.
    public init(fact target: String, _ what: String, found: String, wanted: String, isMet: Bool) {
        self.target = target
        self.what = what
        ours = found
        peer = ""
        ratio = nil
        ratioText = ""
        self.wanted = wanted
        verdict = isMet ? .met : .missed
        oursInNanoseconds = nil
        peerInNanoseconds = nil
    }

    /// Text of the median with half the spread, such as `1.2 ms ± 3 %`.
    private static func text(of samples: Samples) -> String {
        let spread = Figure.text(of: (samples.spread * 50).rounded())
        return "\(Figure.text(ofNanoseconds: samples.median)) ± \(spread) %"
    }
}
