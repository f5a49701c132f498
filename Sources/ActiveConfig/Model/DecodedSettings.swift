/// A decoded value of any type.
protocol DecodedSetting: AnyObject, Sendable {
    /// False when the values cannot be compared.
    func isEqual(to other: any DecodedSetting) -> Bool
}

final class DecodedValue<Value: Sendable>: DecodedSetting {
    /// Nil when the configuration has no value of the type.
    let value: Value?

    init(_ value: Value?) { self.value = value }

    func isEqual(to other: any DecodedSetting) -> Bool {
        guard let other = other as? DecodedValue<Value> else { return false }
        func isEqual<Other: Equatable>(_ value: Other) -> Bool { other.value as? Other == value }
        return (value as? any Equatable).map { isEqual($0) } ?? (value == nil && other.value == nil)
    }
}

extension DecodedSetting {
    /// The value; nil when the configuration has none of the type.
    ///
    /// `type` must be the type of this slot's key, or of the section.
    @inline(__always)
    func value<Value: Sendable>(as type: Value.Type) -> Value? {
        // A slot belongs to one type.
        unsafe unsafeDowncast(self, to: DecodedValue<Value>.self).value
    }
}

/// The values decoded from one configuration, so that nothing is decoded twice, and the problems
/// found.
final class DecodedSettings: Sendable {
    enum Key: Hashable, Sendable {
        /// A setting, by the slot of its key.
        case setting(Int)
        /// A whole section, by the type that it is decoded into.
        case section(ObjectIdentifier)
    }

    private struct State {
        var values: [Key: (sectionName: String, value: any DecodedSetting)] = [:]
        var problems: [SettingProblem] = []
        var paths: Set<[String]> = []
    }

    private let state: Locked<State>
    /// Records the problems instead; nil: they are recorded here.
    private let recorder: DecodedSettings?

    init() { (state, recorder) = (Locked(State()), nil) }

    /// Decodes anew, but records problems together with others.
    init(recordingIn recorder: DecodedSettings) {
        (state, self.recorder) = (Locked(State()), recorder)
    }

    /// Reuses the values of sections that are unchanged in another configuration.
    init(
        _ other: DecodedSettings,
        whereSection isUnchanged: (_ name: String, _ hasProblems: Bool) -> Bool
    ) {
        let (values, problems) = other.state.withLock { ($0.values, $0.problems) }
        let problematic = Set(problems.map(\.path.sectionName))
        let names = Set(values.values.map(\.sectionName)).union(problematic)
            .filter { isUnchanged($0, problematic.contains($0)) }
        var state = State()
        state.values = values.filter { names.contains($0.value.sectionName) }
        state.problems = problems.filter { names.contains($0.path.sectionName) }
        state.paths = Set(state.problems.map(Self.path))
        self.state = Locked(state)
        recorder = nil
    }

    /// In the order in which they were found.
    var problems: [SettingProblem] { recorder?.problems ?? state.withLock { $0.problems } }

    /// The value of a key of a section; the first call reads it with `read`.
    ///
    /// `read` can be called concurrently, and not under a lock.
    func value(
        forKey key: Key, inSection sectionName: String, read: () -> any DecodedSetting
    ) -> any DecodedSetting {
        if let known = state.withLock({ $0.values[key]?.value }) { return known }
        let value = read()
        return state.withLock { state in
            if let known = state.values[key]?.value { return known }
            state.values[key] = (sectionName, value)
            return value
        }
    }

    /// A publisher controls the number of problems.
    private static let maximumProblems = 1_000

    /// Records a problem; false when this setting already has one, or when there are too many.
    func record(_ problem: SettingProblem) -> Bool {
        if let recorder { return recorder.record(problem) }
        return state.withLock { state in
            guard state.problems.count < Self.maximumProblems,
                state.paths.insert(Self.path(of: problem)).inserted
            else { return false }
            state.problems.append(problem)
            return true
        }
    }

    private static func path(of problem: SettingProblem) -> [String] {
        [problem.path.sectionName, problem.name]
    }
}
