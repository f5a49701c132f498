/// A line of the report: one thing of ours against one peer.
public struct Row: Sendable, Encodable {
    /// The target, such as `F4`.
    public let target: String
    /// What is compared.
    public let what: String
    /// Our figure, and how far its rounds lie apart.
    public let ours: String
    /// The peer and its figure.
    public let peer: String
    /// The ratio, when there is one.
    public let ratio: Double?
    /// The ratio as text.
    public let ratioText: String
    /// What is wanted.
    public let wanted: String
    /// Whether it is so.
    public let verdict: Verdict
    /// Our time in nanoseconds, when it is a time.
    public let oursInNanoseconds: Double?
    /// The peer's time in nanoseconds, when it is a time.
    public let peerInNanoseconds: Double?

    /// Makes a row of two times.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - what: What is compared.
    ///   - ours: Our figures.
    ///   - peerName: The peer.
    ///   - peer: The peer's figures.
    ///   - criterion: What is wanted.
    public init(
        _ target: String, _ what: String, ours: Samples, against peerName: String, _ peer: Samples,
        wanted criterion: Criterion
    ) {
        self.init(
            target, what, ours: ours, against: peerName, nanoseconds: peer.median,
            text: Self.text(of: peer), wanted: criterion)
    }

    /// Makes a row of a time and a peer's that is put together.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - what: What is compared.
    ///   - ours: Our figures.
    ///   - peerName: The peer.
    ///   - nanoseconds: The peer's time.
    ///   - text: That as text; nil for the time alone.
    ///   - criterion: What is wanted.
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

    /// Makes a row of a fact, which is so or is not.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - what: What is looked at.
    ///   - found: What was found.
    ///   - wanted: What is wanted.
    ///   - isMet: Whether it is so.
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

    /// A median with its spread, such as `1.2 ms ± 3 %`.
    private static func text(of samples: Samples) -> String {
        let spread = Figure.text(of: (samples.spread * 50).rounded())
        return "\(Figure.text(ofNanoseconds: samples.median)) ± \(spread) %"
    }
}
