public import ActiveConfig
public import ActiveConfigRealtime

extension ActiveConfigUpdater {
    /// Creates an updater for a test, on a manual clock and with repeatable randomness.
    ///
    /// - Parameters:
    ///   - config: The configuration to keep fresh.
    ///   - source: The source, such as a ``ScriptedBackend``.
    ///   - users: The users.
    ///   - options: Timing options.
    ///   - activity: The activity of the app and the device.
    ///   - clock: The clock of all waits.
    ///   - seed: The seed of random waits.
    /// - Returns: The updater; nothing runs yet.
    public static func make(
        _ config: ActiveConfig, source: any ActiveConfigEventSource, users: Users = .current,
        options: Options = Options(), activity: AppActivity = .always, clock: ManualClock,
        seed: UInt64 = 1
    ) -> ActiveConfigUpdater {
        ActiveConfigUpdater(
            config, source: source, users: users, options: options, activity: activity,
            clock: clock, random: { RepeatableGenerator(state: seed) })
    }
}

/// A random number generator that always yields the same numbers (SplitMix64).
struct RepeatableGenerator: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
