extension ActiveConfig {
    /// The section of that name in the active configuration, or nil.
    ///
    /// A section is immutable.
    public func configSection(named sectionName: String) -> ActiveConfigSection? {
        let hash = NameHash.hash(sectionName)
        // The outer nil: nothing is loaded yet.
        let section = replicas.section(named: sectionName, hash: hash)
        if let section { return section }
        return loadedSnapshot().sections.value(ofName: sectionName, hash: hash)
    }

    /// The section of that name in the active configuration, or nil.
    public subscript(sectionName: String) -> ActiveConfigSection? {
        configSection(named: sectionName)
    }

    /// The active document: the last downloaded or stored one, a fallback, or an empty one.
    ///
    /// Without in-app defaults and overrides, which all other reads include.
    public var currentConfiguration: ConfigurationState { loadedSnapshot().configuration }

    /// `meta` of the active configuration.
    public var currentConfigurationMetaDictionary: [String: SettingValue] {
        loadedSnapshot().configuration.meta
    }
}

/// Reading by typed keys.
///
/// A `Bool`, `Int`, `Double` or `Float` is read without a lock or allocation; Apple's releases
/// without atomic values take a lock. Other types are decoded by the first read of a configuration,
/// and cached until another one is active.
extension ActiveConfig: SettingsReading {
    /// The active configuration of the current user.
    ///
    /// The first read of a launch reads the store on the calling thread; ``load()`` reads it on
    /// another thread.
    public var snapshot: ConfigurationSnapshot {
        ConfigurationSnapshot(config: self, contents: loadedSnapshot())
    }

    /// The value of a setting, or the key's default.
    public subscript(key: SettingKey<Bool>) -> Bool { scalar(key) }

    /// The value of a setting, or the key's default.
    public subscript(key: SettingKey<Int>) -> Int { scalar(key) }

    /// The value of a setting, or the key's default.
    public subscript(key: SettingKey<Double>) -> Double { scalar(key) }

    /// The value of a setting, or the key's default.
    public subscript(key: SettingKey<Float>) -> Float { scalar(key) }

    /// The value of a setting, or the key's default.
    ///
    /// Precedence: override, active document, in-app default, the key's default. A value of another
    /// type is skipped, logged once per configuration, and listed in
    /// ``ConfigurationDiagnostics/problems``.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        // The overloads for these types are not chosen in generic code.
        if Value.self == Bool.self { return scalar(key, as: Bool.self) }
        if Value.self == Int.self { return scalar(key, as: Int.self) }
        if Value.self == Double.self { return scalar(key, as: Double.self) }
        if Value.self == Float.self { return scalar(key, as: Float.self) }
        return decoded(key)
    }

    /// The value of a setting, or the key's default.
    public subscript(key: SettingKey<String>) -> String { decoded(key) }

    /// A value of the type `Scalar`, which has to be `Value`.
    @inline(__always)
    private func scalar<Value, Scalar: ScalarSetting>(
        _ key: SettingKey<Value>, as type: Scalar.Type
    ) -> Value {
        unsafe unsafeBitCast(
            scalar(unsafeBitCast(key, to: SettingKey<Scalar>.self)), to: Value.self)
    }

    @inline(__always)
    private func decoded<Value>(_ key: SettingKey<Value>) -> Value {
        guard let known = front.decoded(slot: key.slot) else { return readDecoded(key) }
        return known.value(as: Value.self) ?? key.defaultValue
    }

    @inline(never)
    private func readDecoded<Value>(_ key: SettingKey<Value>) -> Value {
        let snapshot = loadedSnapshot()
        let decoded = decodedValue(of: key, in: snapshot)
        front.keep(decoded, slot: key.slot, of: snapshot)
        return decoded.value(as: Value.self) ?? key.defaultValue
    }

    /// A whole section of one configuration, decoded.
    func section<Section: SettingsSection>(
        _ type: Section.Type, in snapshot: SnapshotContents
    ) -> Section {
        let decoded = snapshot.decoded.value(
            forKey: .section(ObjectIdentifier(type)), inSection: type.sectionName
        ) {
            DecodedValue<Section>(read(type, from: snapshot))
        }
        return decoded.value(as: Section.self) ?? Section()
    }

    private func read<Section: SettingsSection>(
        _ type: Section.Type, from snapshot: SnapshotContents
    ) -> Section {
        let standard = Section()
        noteRead(sectionNamed: type.sectionName, in: snapshot)
        let objects = snapshot.objects(ofSection: type.sectionName)
        if objects.isEmpty { return standard }
        let defaults = SettingEncoder.members(of: standard)
        let section = DefaultingDecoder.decode(type, from: objects, defaults: defaults) {
            path, error in
            report(
                SettingProblem(
                    SettingPath(type.sectionName, path.first ?? ""),
                    member: path.dropFirst().joined(separator: "."),
                    reason: SettingReader.predicate(
                        of: error, about: path.joined(separator: "."))),
                in: snapshot)
        }
        return section ?? standard
    }

    func problems(of snapshot: SnapshotContents) -> [SettingProblem] {
        snapshot.configuration.problems(isSecret: isSecret)
            + snapshot.decoded.problems.map(masked)
    }

    /// The problems of a user's active configuration; nil when it has another version or is not
    /// loaded.
    package func problems(
        ofActiveVersion version: Int, of userID: UserID
    ) async -> [SettingProblem]? {
        let current = await loadedSnapshotInTask()
        let active =
            current.userID == userID ? current : users.table.usedEntry(of: userID)?.snapshot
        guard let active, active.configuration.templateVersion == version else { return nil }
        return problems(of: active)
    }

    @inline(__always)
    private func scalar<Value: ScalarSetting>(_ key: SettingKey<Value>) -> Value {
        switch scalars.entry(ofSlot: key.slot) {
        case .bits(let bits): Value(settingBits: bits)
        case .absent: key.defaultValue
        case .miss: readScalar(key)
        }
    }

    @inline(never)
    private func readScalar<Value: ScalarSetting>(_ key: SettingKey<Value>) -> Value {
        let snapshot = loadedSnapshot()
        let value = decodedValue(of: key, in: snapshot).value(as: Value.self)
        scalars.fill(
            slot: key.slot, generation: snapshot.generation, bits: value.map(\.settingBits))
        return value ?? key.defaultValue
    }

    /// The value of a setting in one configuration, or the key's default.
    func value<Value>(of key: SettingKey<Value>, in snapshot: SnapshotContents) -> Value {
        decodedValue(of: key, in: snapshot).value(as: Value.self) ?? key.defaultValue
    }

    func decodedValue<Value>(
        of key: SettingKey<Value>, in snapshot: SnapshotContents
    ) -> any DecodedSetting {
        decodedValue(of: key.definition.object, slot: key.slot, in: snapshot)
    }

    // Not generic, so that it is compiled once for keys of all types.
    private func decodedValue(
        of definition: SettingDefinition, slot: Int, in snapshot: SnapshotContents
    ) -> any DecodedSetting {
        let path = definition.path
        return snapshot.decoded.value(forKey: .setting(slot), inSection: path.sectionName) {
            for (source, value) in snapshot.layers(ofKey: path.name, inSection: path.sectionName) {
                do throws(SettingReader.Mismatch) {
                    let decoded = try definition.reader.read(value)
                    noteRead(path, value, from: source, in: snapshot)
                    return decoded
                } catch {
                    report(SettingProblem(path, reason: error.reason), in: snapshot)
                }
            }
            noteRead(path, nil, from: .default, in: snapshot)
            return definition.absent
        }
    }

    /// Records and logs a problem, once.
    func report(_ problem: SettingProblem, in snapshot: SnapshotContents) {
        guard snapshot.decoded.record(problem), !snapshot.isPending else { return }
        log(.warning, "\(masked(problem)) The next lower value, or else the default, is used.")
    }

    // MARK: Reports of reads

    /// Reports a read of a value.
    ///
    /// - Parameters:
    ///   - setting: The setting.
    ///   - value: The value; nil is the key's default.
    ///   - source: The value's source.
    ///   - snapshot: The configuration that it was read from.
    func noteRead(
        _ setting: SettingPath, _ value: SettingValue?, from source: SettingSource,
        in snapshot: SnapshotContents
    ) {
        guard !observers.isEmpty, !snapshot.isPending else { return }
        let read = SettingRead(setting, value, isMasked: isSecret(setting), from: source)
        observers.tell(
            ConfigurationEvent(
                .read(read), userID: snapshot.userID.string, document: snapshot.configuration,
                time: now(), epoch: snapshot.epoch))
    }

    /// Reports a read of a whole section.
    func noteRead(sectionNamed sectionName: String, in snapshot: SnapshotContents) {
        guard !observers.isEmpty, !snapshot.isPending else { return }
        for key in snapshot.sections[sectionName]?.settingKeys ?? [] {
            guard let top = snapshot.layers(ofKey: key, inSection: sectionName).first else {
                continue
            }
            noteRead(
                SettingPath(sectionName, key), top.value, from: top.source,
                in: snapshot)
        }
    }

    // MARK: Secrets

    func isSecret(_ setting: SettingPath) -> Bool {
        front.isSecret(setting)
    }

    /// The problem; for a secret, one that does not quote the value.
    func masked(_ problem: SettingProblem) -> SettingProblem {
        let secrets = front.secrets.union(SettingDefinition.secrets)
        let isSecret =
            problem.path.name.isEmpty
            // The error of a whole section can quote any of its settings.
            ? secrets.contains { $0.sectionName == problem.path.sectionName }
            : secrets.contains(problem.path)
        guard isSecret else { return problem }
        // Names inside of a secret are secret, too.
        return SettingProblem(
            problem.path, reason: "is a secret of another type than is expected")
    }
}
