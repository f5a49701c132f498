extension ActiveConfig {
    /// Where the value of a setting comes from.
    ///
    /// ``SettingSource/default`` for the in-app defaults and for the default of the key, which also
    /// counts when the document has a value of another type.
    public func source<Value>(of key: SettingKey<Value>) -> SettingSource { explain(key).source }

    /// Where the value of a setting comes from; ``SettingSource/none`` when there is none.
    public func source(ofKey key: String, inSection sectionName: String) -> SettingSource {
        explain(key, inSection: sectionName).source
    }

    /// Why a setting has its value.
    ///
    /// - Parameter key: The setting.
    /// - Returns: The value that `config[key]` gives, its source, and what lies beneath it.
    public func explain<Value>(_ key: SettingKey<Value>) -> SettingExplanation {
        let snapshot = loadedSnapshot()
        let layers = snapshot.layers(ofKey: key.name, inSection: key.sectionName)
        let standard = (key.defaultValue as? any Encodable).flatMap { try? $0.settingValue }
        let all = layers + (standard.map { [(source: .default, value: $0)] } ?? [])
        let reader = key.definition.object.reader
        // As `config[key]` does it: the one in force, then the in-app default, then the key's.
        let candidates = [layers.first, layers.first { $0.source == .default }].compactMap { $0 }
        let taken = candidates.first { (try? reader.read($0.value)) != nil }
        var problem: SettingProblem?
        if let first = layers.first, taken?.source != first.source {
            do throws(SettingReader.Mismatch) {
                _ = try reader.read(first.value)
            } catch {
                problem = SettingProblem(
                    sectionName: key.sectionName, settingName: key.name,
                    reason: mask(error.reason, of: key.path))
            }
        }
        return explanation(
            key.name, key.sectionName, value: taken?.value ?? standard,
            source: taken?.source ?? .default, layers: all, problem: problem, in: snapshot)
    }

    /// Why a setting has its value.
    ///
    /// - Parameters:
    ///   - key: The setting's name in the section.
    ///   - sectionName: The section's name.
    /// - Returns: The value, not converted, its source, and what lies beneath it.
    public func explain(_ key: String, inSection sectionName: String) -> SettingExplanation {
        explanation(key, sectionName, in: loadedSnapshot())
    }

    /// All settings of the layers with their sources, readable as text and as JSON.
    ///
    /// The values are not converted, and the defaults of keys are not known here. It names the user.
    public func report() -> ConfigurationReport {
        let snapshot = loadedSnapshot()
        return ConfigurationReport(
            userID: snapshot.userID.string, document: ConfigurationDescription(snapshot),
            settings: snapshot.paths.map { explanation($0.name, $0.sectionName, in: snapshot) },
            problems: snapshot.decoded.problems)
    }

    /// Masks the values of a setting in explanations, reports, problems and the log.
    ///
    /// - Parameters:
    ///   - key: The setting's name in the section.
    ///   - sectionName: The section's name.
    public func markSecret(_ key: String, inSection sectionName: String) {
        state.withLock {
            _ = $0.secrets.insert(SettingPath(sectionName: sectionName, name: key))
        }
    }

    /// Masks the values of a setting in explanations, reports, problems and the log.
    public func markSecret<Value>(_ key: SettingKey<Value>) {
        markSecret(key.name, inSection: key.sectionName)
    }

    /// The settings whose highest value comes from a source, sorted.
    public func allKeys(from source: SettingSource) -> [SettingPath] {
        let snapshot = loadedSnapshot()
        return snapshot.paths.filter { path in
            snapshot.layers(ofKey: path.name, inSection: path.sectionName).first?.source == source
        }
    }

    /// The settings whose path, such as `Checkout.isOn`, begins with a text, sorted; with "" all.
    public func keys(withPrefix prefix: String) -> [SettingPath] {
        loadedSnapshot().paths.filter { $0.description.hasPrefix(prefix) }
    }

    private func explanation(
        _ name: String, _ sectionName: String, in snapshot: ConfigurationSnapshot
    ) -> SettingExplanation {
        let layers = snapshot.layers(ofKey: name, inSection: sectionName)
        return explanation(
            name, sectionName, value: layers.first?.value, source: layers.first?.source ?? .none,
            layers: layers, problem: nil, in: snapshot)
    }

    private func explanation(
        _ name: String, _ sectionName: String, value: SettingValue?, source: SettingSource,
        layers: [(source: SettingSource, value: SettingValue)], problem: SettingProblem?,
        in snapshot: ConfigurationSnapshot
    ) -> SettingExplanation {
        let isMasked = isSecret(SettingPath(sectionName: sectionName, name: name))
        return SettingExplanation(
            sectionName: sectionName, name: name, value: isMasked ? nil : value, source: source,
            layers: layers.map {
                SettingExplanation.Layer(source: $0.source, value: isMasked ? nil : $0.value)
            }, isMasked: isMasked, problem: problem, document: ConfigurationDescription(snapshot))
    }

    /// The reason, or for a secret one that does not quote the value.
    func mask(_ reason: String, of path: SettingPath) -> String {
        isSecret(path) ? "is a secret of another type than is expected" : reason
    }

    private func isSecret(_ path: SettingPath) -> Bool {
        state.withLock { $0.secrets.contains(path) }
    }
}

extension ConfigurationSnapshot {
    /// All settings, sorted by section and name.
    fileprivate var paths: [SettingPath] {
        let names = sections.entries.map(\.name).sortedByBytes()
        return names.flatMap { name in
            (sections[name]?.settingKeys ?? []).map { SettingPath(sectionName: name, name: $0) }
        }
    }

    /// All values of a setting, the highest first.
    fileprivate func layers(
        ofKey key: String, inSection sectionName: String
    ) -> [(source: SettingSource, value: SettingValue)] {
        [
            (.override, layers.overrides[sectionName]?[key]),
            (source, configuration.sections[sectionName]?[key]),
            (.default, layers.defaults[sectionName]?[key]),
        ].compactMap { source, value in value.map { (source, $0) } }
    }
}

extension Encodable {
    fileprivate var settingValue: SettingValue {
        get throws { try SettingEncoder.encode(self) }
    }
}
