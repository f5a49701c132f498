/// Explains values and lists the problems of a configuration, for logs, support and debug menus.
///
/// ```swift
/// print(config.diagnostics.explain(.isCheckoutOn))
/// ```
///
/// Describes the configuration that was active when it was created.
public struct ConfigurationDiagnostics: Sendable {
    let snapshot: ConfigurationSnapshot

    private var config: ActiveConfig { snapshot.config }
    private var contents: SnapshotContents { snapshot.contents }

    /// The source of a setting's value.
    ///
    /// ``SettingSource/default`` stands for in-app defaults and for the key's default, which is
    /// also used when the document's value is of another type.
    public func source<Value>(of key: SettingKey<Value>) -> SettingSource { explain(key).source }

    /// The source of a setting's value; ``SettingSource/absent`` when there is none.
    public func source(of path: SettingPath) -> SettingSource { explain(path).source }

    /// Explains the value of a setting.
    ///
    /// - Parameter key: The setting.
    /// - Returns: The value that `config[key]` gives, its source, and the layers beneath.
    public func explain<Value>(_ key: SettingKey<Value>) -> SettingExplanation {
        var layers = contents.layers(ofKey: key.name, inSection: key.sectionName)
        let reader = key.definition.object.reader
        var problem: SettingProblem?
        var converted: SettingValue?
        // Selects the layer as `config[key]` does.
        let taken = layers.firstIndex { layer in
            do throws(SettingReader.Mismatch) {
                let value = try reader.read(layer.value).value(as: Value.self)
                converted = value.flatMap { try? SettingEncoder.encode(any: $0) } ?? layer.value
                return true
            } catch {
                problem =
                    problem
                    ?? SettingProblem(key.path, reason: error.reason)
                return false
            }
        }
        let standard = try? SettingEncoder.encode(any: key.defaultValue)
        if let standard { layers.append((.default, standard)) }
        let layer = taken ?? (standard == nil ? nil : layers.count - 1)
        return explanation(
            of: key.path, value: converted ?? standard, layers: layers, layer: layer,
            source: .default, problem: problem.map(config.masked),
            ConfigurationReport.Document(contents))
    }

    /// Explains the value of a setting.
    ///
    /// - Parameter path: The setting.
    /// - Returns: The unconverted value, its source, and the layers beneath.
    public func explain(_ path: SettingPath) -> SettingExplanation {
        explanation(of: path, ConfigurationReport.Document(contents))
    }

    /// All settings of the layers with their sources, readable as text and as JSON.
    ///
    /// Values are unconverted, and defaults of keys are not included. The report contains the user
    /// ID.
    public func report() -> ConfigurationReport {
        let document = ConfigurationReport.Document(contents)
        return ConfigurationReport(
            userID: snapshot.userID, document: document,
            settings: settings.map { explanation(of: $0, document) }, problems: problems)
    }

    /// Parts of the configuration that the app does not get.
    ///
    /// First the sections and settings that do not have the format's shape, which are left out, and
    /// integers beyond 64 bits, which are rounded; see ``ConfigurationState/problems``. Then the
    /// settings that the app has read as another type, in the order in which they were found, at
    /// most 1,000; cleared by each new document.
    public var problems: [SettingProblem] { config.problems(of: contents) }

    /// All settings, sorted by section and name.
    public var settings: [SettingPath] { contents.paths }

    /// The settings whose highest value has a source, sorted.
    public func settings(from source: SettingSource) -> [SettingPath] {
        contents.paths.filter { path in
            contents.layers(ofKey: path.name, inSection: path.sectionName).first?.source == source
        }
    }

    /// The settings whose path, such as `Checkout.isOn`, begins with a text, sorted.
    public func settings(withPrefix prefix: String) -> [SettingPath] {
        contents.paths.filter { $0.description.hasPrefix(prefix) }
    }

    /// Masks the values of a setting in explanations, reports, problems and the log, for all users.
    ///
    /// For a setting read by a key, use ``SettingKey/isSecret`` instead.
    public func markSecret(_ path: SettingPath) {
        config.front.markSecret(path)
    }

    /// Returns whether the values of a setting are masked, after ``markSecret(_:)`` or because of a key; see
    /// ``SettingKey/isSecret``.
    ///
    /// For code of your own that passes values on, such as to a log.
    public func isSecret(_ path: SettingPath) -> Bool { config.isSecret(path) }

    private func explanation(
        of path: SettingPath, _ document: ConfigurationReport.Document
    ) -> SettingExplanation {
        let layers = contents.layers(ofKey: path.name, inSection: path.sectionName)
        return explanation(
            of: path, value: layers.first?.value, layers: layers, layer: layers.isEmpty ? nil : 0,
            source: .absent, problem: nil, document)
    }

    /// `source` is used when no layer supplies the value.
    private func explanation(
        of path: SettingPath, value: SettingValue?,
        layers: [(source: SettingSource, value: SettingValue)], layer: Int?, source: SettingSource,
        problem: SettingProblem?, _ document: ConfigurationReport.Document
    ) -> SettingExplanation {
        func found(in configuration: ConfigurationState) -> SettingValue? {
            configuration.sections[path.sectionName]?[path.name]
        }
        let isMasked = config.isSecret(path)
        let pending = contents.known.pending.map { found(in: $0.configuration) }
        let isPending = pending.map { $0 != found(in: contents.configuration) } ?? false
        return SettingExplanation(
            path: path, value: isMasked ? .none : value,
            source: layer.map { layers[$0].source } ?? source,
            layers: layers.map {
                // `nil` alone would be `SettingValue.null`.
                SettingExplanation.Layer(source: $0.source, value: isMasked ? .none : $0.value)
            }, isMasked: isMasked, problem: problem,
            pending: isPending
                ? SettingExplanation.PendingValue(value: isMasked ? .none : pending ?? .none) : nil,
            document: document, layer: layer)
    }
}

extension SnapshotContents {
    /// All settings, sorted by section and name.
    fileprivate var paths: [SettingPath] {
        let names = sections.entries.map(\.name).sortedByBytes()
        return names.flatMap { name in
            (sections[name]?.settingKeys ?? []).map { SettingPath(name, $0) }
        }
    }
}
