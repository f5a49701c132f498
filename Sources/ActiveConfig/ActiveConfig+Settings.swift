/// Reading by typed keys.
///
/// A `Bool`, `Int`, `Double` or `Float` is read without a lock and without allocating; Apple's releases
/// without atomic values take a lock. A value of another type is decoded by the first read of a
/// configuration, and kept until another one is active.
extension ActiveConfig {
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
    /// An override comes first, then the active document, then the in-app defaults, then the key's
    /// default. A value of another type is passed over, logged once per configuration, and named in
    /// ``problems``.
    public subscript<Value>(key: SettingKey<Value>) -> Value { decoded(key) }

    /// The value of a setting, or the key's default.
    public subscript(key: SettingKey<String>) -> String { decoded(key) }

    @inline(__always)
    private func decoded<Value>(_ key: SettingKey<Value>) -> Value {
        let slot = key.slot
        let known = state.withLock { state in
            slot < state.decoded.count ? state.decoded[slot] : nil
        }
        guard let known else { return readDecoded(key) }
        return known.value(as: Value.self) ?? key.defaultValue
    }

    @inline(never)
    private func readDecoded<Value>(_ key: SettingKey<Value>) -> Value {
        let snapshot = loadedSnapshot()
        let decoded = decodedValue(of: key, in: snapshot)
        state.withLock { $0.keep(decoded, slot: key.slot, of: snapshot) }
        return decoded.value(as: Value.self) ?? key.defaultValue
    }

    /// The value of a setting, or the key's default; the same as `config[key]`.
    public func value<Value>(for key: SettingKey<Value>) -> Value { self[key] }

    /// The values of a setting: the current one first, then each new one.
    ///
    /// ```swift
    /// for await isOn in config.values(for: .isCheckoutOn) { … }
    /// ```
    ///
    /// An equal value is none. A consumer that is slower than the changes gets the newest.
    public func values<Value>(for key: SettingKey<Value>) -> SettingValues<Value> {
        SettingValues(
            of: key, makeSignals: { self.makeSignals() }, load: { await self.loadedValue(of: key) })
    }

    /// The active configuration, and what reads a setting's value in it.
    func loadedValue<Value>(of key: SettingKey<Value>) async -> SettingValues<Value>.Loaded {
        let snapshot = await loadedSnapshotInTask()
        return (snapshot, { self.value(of: key, in: snapshot) })
    }

    /// A whole section, decoded.
    ///
    /// Decoded once per configuration, by the first who asks. A setting that the section lacks has the
    /// type's own default. So has one whose value is of another type, unless there is a lower layer; the
    /// others are not lost. ``problems`` and the log name each value of another type, by its path.
    ///
    /// - Parameter type: The type, which names its section.
    /// - Returns: The section, or the type's defaults when there is none.
    public func decode<Section: SettingsSection>(_ type: Section.Type) -> Section {
        decode(type, in: loadedSnapshot())
    }

    /// A whole section of one configuration, decoded.
    func decode<Section: SettingsSection>(
        _ type: Section.Type, in snapshot: ConfigurationSnapshot
    ) -> Section {
        let decoded = snapshot.decoded.value(
            forKey: .section(ObjectIdentifier(type)), inSection: type.sectionName
        ) {
            DecodedValue<Section>(read(type, from: snapshot))
        }
        return decoded.value(as: Section.self) ?? Section()
    }

    private func read<Section: SettingsSection>(
        _ type: Section.Type, from snapshot: ConfigurationSnapshot
    ) -> Section {
        let standard = Section()
        noteRead(sectionNamed: type.sectionName, in: snapshot)
        let objects = snapshot.objects(ofSection: type.sectionName)
        if objects.isEmpty { return standard }
        let defaults = SettingEncoder.members(of: standard)
        let section = DefaultingDecoder.decode(type, from: objects, defaults: defaults) {
            path, error in
            let path = path.joined(separator: ".")
            report(
                SettingProblem(
                    sectionName: type.sectionName, settingName: path,
                    reason: SettingReader.predicate(of: error, about: path)),
                in: snapshot)
        }
        return section ?? standard
    }

    /// Parts of the active configuration that the app does not get.
    ///
    /// First the sections and settings of another shape than the format's, which are left out, and integers
    /// beyond 64 bits, which are rounded; see ``ConfigurationState/problems``. Then the settings whose
    /// values are of another type than the app has read them as, in the order in which they were found,
    /// at most 1,000; empty again with each new document.
    public var problems: [SettingProblem] { problems(of: loadedSnapshot()) }

    func problems(of snapshot: ConfigurationSnapshot) -> [SettingProblem] {
        snapshot.configuration.problems(isSecret: isSecret)
            + snapshot.decoded.problems.map(masked)
    }

    /// The problems of a user's active configuration; nil when it is of another version, or not loaded.
    package func problems(
        ofActiveVersion version: Int, of userID: UserID
    ) async -> [SettingProblem]? {
        let current = await loadedSnapshotInTask()
        let active = current.userID == userID ? current : users.usedEntry(of: userID)?.snapshot
        guard let active, active.configuration.templateVersion == version else { return nil }
        return problems(of: active)
    }

    /// Logs what is left out of a document or rounded, unless it is the same as of the last one.
    func reportShape(
        of document: ConfigurationState, since last: ConfigurationState?, of userID: UserID
    ) {
        guard document.problems != last?.problems ?? [],
            let text = document.problemsText(
                of: "The configuration of \(userID.logName)", isSecret: isSecret)
        else { return }
        log(.warning, text)
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
    func value<Value>(of key: SettingKey<Value>, in snapshot: ConfigurationSnapshot) -> Value {
        decodedValue(of: key, in: snapshot).value(as: Value.self) ?? key.defaultValue
    }

    func decodedValue<Value>(
        of key: SettingKey<Value>, in snapshot: ConfigurationSnapshot
    ) -> any DecodedSetting {
        let definition = key.definition.object
        let path = definition.path
        return snapshot.decoded.value(
            forKey: .setting(key.slot), inSection: path.sectionName
        ) {
            for (source, value) in snapshot.layers(ofKey: path.name, inSection: path.sectionName) {
                do throws(SettingReader.Mismatch) {
                    let decoded = try definition.reader.read(value)
                    noteRead(path, value, from: source, in: snapshot)
                    return decoded
                } catch {
                    report(
                        SettingProblem(
                            sectionName: path.sectionName, settingName: path.name,
                            reason: error.reason), in: snapshot)
                }
            }
            noteRead(path, nil, from: .default, in: snapshot)
            return DecodedValue<Value>(nil)
        }
    }

    /// Records and logs a problem, once.
    func report(_ problem: SettingProblem, in snapshot: ConfigurationSnapshot) {
        guard snapshot.decoded.record(problem) else { return }
        log(.warning, "\(masked(problem)) The next lower value, or else the default, is used.")
    }
}
