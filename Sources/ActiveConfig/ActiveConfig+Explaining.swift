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
        var layers = snapshot.layers(ofKey: key.name, inSection: key.sectionName)
        let reader = key.definition.object.reader
        var problem: SettingProblem?
        var converted: SettingValue?
        // As `config[key]` does it.
        let taken = layers.firstIndex { layer in
            do throws(SettingReader.Mismatch) {
                let value = try reader.read(layer.value).value(as: Value.self)
                converted = value.flatMap { try? SettingEncoder.encode(any: $0) } ?? layer.value
                return true
            } catch {
                problem =
                    problem
                    ?? SettingProblem(
                        sectionName: key.sectionName, settingName: key.name, reason: error.reason)
                return false
            }
        }
        let standard = try? SettingEncoder.encode(any: key.defaultValue)
        if let standard { layers.append((.default, standard)) }
        let layer = taken ?? (standard == nil ? nil : layers.count - 1)
        return explanation(
            key.name, key.sectionName, value: converted ?? standard, layers: layers, layer: layer,
            source: .default, problem: problem.map(masked), in: snapshot,
            ConfigurationDescription(snapshot))
    }

    /// Why a setting has its value.
    ///
    /// - Parameters:
    ///   - key: The setting's name in the section.
    ///   - sectionName: The section's name.
    /// - Returns: The value, not converted, its source, and what lies beneath it.
    public func explain(_ key: String, inSection sectionName: String) -> SettingExplanation {
        let snapshot = loadedSnapshot()
        return explanation(key, sectionName, in: snapshot, ConfigurationDescription(snapshot))
    }

    /// All settings of the layers with their sources, readable as text and as JSON.
    ///
    /// The values are not converted, and the defaults of keys are not known here. It names the user.
    public func report() -> ConfigurationReport {
        let snapshot = loadedSnapshot()
        let document = ConfigurationDescription(snapshot)
        return ConfigurationReport(
            userID: snapshot.userID.string, document: document,
            settings: snapshot.paths.map {
                explanation($0.name, $0.sectionName, in: snapshot, document)
            },
            problems: problems(of: snapshot))
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
        _ name: String, _ sectionName: String, in snapshot: ConfigurationSnapshot,
        _ document: ConfigurationDescription
    ) -> SettingExplanation {
        let layers = snapshot.layers(ofKey: name, inSection: sectionName)
        return explanation(
            name, sectionName, value: layers.first?.value, layers: layers,
            layer: layers.isEmpty ? nil : 0, source: .none, problem: nil, in: snapshot, document)
    }

    /// `source` counts when the value is of no layer.
    private func explanation(
        _ name: String, _ sectionName: String, value: SettingValue?,
        layers: [(source: SettingSource, value: SettingValue)], layer: Int?, source: SettingSource,
        problem: SettingProblem?, in snapshot: ConfigurationSnapshot,
        _ document: ConfigurationDescription
    ) -> SettingExplanation {
        let path = SettingPath(sectionName: sectionName, name: name)
        let isMasked = isSecret(path)
        let waiting = snapshot.known.pending.map { $0.configuration.sections[sectionName]?[name] }
        let isPending =
            waiting.map { $0 != snapshot.configuration.sections[sectionName]?[name] } ?? false
        return SettingExplanation(
            sectionName: sectionName, name: name,
            value: isMasked ? .none : value,
            source: layer.map { layers[$0].source } ?? source,
            layers: layers.map {
                // Not a mere nil, which would be `SettingValue.null`.
                SettingExplanation.Layer(source: $0.source, value: isMasked ? .none : $0.value)
            }, isMasked: isMasked, problem: problem,
            pending: isPending
                ? SettingExplanation.PendingValue(value: isMasked ? .none : waiting ?? .none) : nil,
            document: document, layer: layer)
    }

    func isSecret(_ setting: SettingPath) -> Bool {
        state.withLock { $0.secrets.contains(setting) }
    }

    /// The problem, or for a secret one that does not quote the value.
    func masked(_ problem: SettingProblem) -> SettingProblem {
        let secret = state.withLock { state in
            state.secrets.first { path in
                // The error of a whole section may quote any of its settings. By UTF-8: a name inside
                // of a secret may begin with a combining mark.
                path.sectionName == problem.sectionName
                    && (problem.settingName.isEmpty || problem.settingName == path.name
                        || problem.settingName.utf8.starts(with: "\(path.name).".utf8))
            }
        }
        guard let secret else { return problem }
        // Names inside of a secret are secret, too.
        return SettingProblem(
            sectionName: problem.sectionName,
            settingName: problem.settingName.isEmpty ? "" : secret.name,
            reason: "is a secret of another type than is expected")
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
}
