/// Why a condition is true or false for a user.
public struct ConditionExplanation: Sendable, Hashable {
    /// Where a user stands among all, for one seed.
    public struct Percentile: Sendable, Hashable {
        /// The seed of the rule; empty when it has none.
        public let seed: String
        /// The place, from 0 to 99,999,999: millionths of a percent.
        public let microPercentile: Int

        /// Makes a percentile.
        public init(seed: String, microPercentile: Int) {
            self.seed = seed
            self.microPercentile = microPercentile
        }
    }

    /// Whether the condition is true.
    public let isTrue: Bool

    /// The text of the part that was false, such as `device.country in ['JP']`; nil when the
    /// condition is true.
    public let failedRule: String?

    /// Why that part was false, such as "device.country is 'US'" or "no signal device.country was
    /// sent"; nil when the condition is true.
    public let reason: String?

    /// The user's percentile for each seed of the condition; none without a user.
    public let percentiles: [Percentile]
}
