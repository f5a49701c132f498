import Foundation

/// Enables overrides, and reads initial ones from arguments, the environment and a file; see
/// <doc:Defaults-bootstrap-and-overrides>.
public struct OverridePolicy: Sendable {
    /// A Boolean value that indicates whether overrides can be set.
    public let isEnabled: Bool
    /// The initial overrides, by section.
    public var initialOverrides: [String: ActiveConfigSection] {
        initialValues.mapValues { ActiveConfigSection(settings: $0) }
    }

    let initialValues: ConfigurationLayers.Sections
    /// Problems of an argument or file of overrides, for the log.
    let problems: [String]

    private init(
        isEnabled: Bool, initialValues: ConfigurationLayers.Sections = [:],
        problems: [String] = []
    ) {
        self.isEnabled = isEnabled
        self.initialValues = initialValues
        self.problems = problems
    }

    /// Disables overrides.
    public static let never = OverridePolicy(isEnabled: false)

    /// Enables overrides and ignores the process's arguments and environment.
    package static let settable = OverridePolicy(isEnabled: true)

    /// In a debug build of the framework ``always``, else ``never``.
    public static var inDebugBuilds: OverridePolicy {
        #if DEBUG
            .always
        #else
            .never
        #endif
    }

    /// Enables overrides, with initial ones from the process's launch arguments, environment and
    /// file.
    ///
    /// - `-ActiveConfigOverride Home.columns=3`, any number of times, as an argument;
    /// - `ACTIVECONFIG_OVERRIDES` in the environment: the same, one per line;
    /// - `-ActiveConfigOverrideFile path`, or `ACTIVECONFIG_OVERRIDE_FILE` in the environment: a file
    ///   in the exchange format.
    ///
    /// The section's name ends at the first dot. The value is JSON, or else a string. White space
    /// around names and values is ignored. Arguments take precedence over the environment, and both
    /// over the file.
    public static var always: OverridePolicy {
        from(
            arguments: ProcessInfo.processInfo.arguments,
            environment: ProcessInfo.processInfo.environment)
    }

    static func from(arguments: [String], environment: [String: String]) -> OverridePolicy {
        var overrides: ConfigurationLayers.Sections = [:]
        var problems: [String] = []
        let file =
            arguments.values(after: "-ActiveConfigOverrideFile").last
            ?? environment["ACTIVECONFIG_OVERRIDE_FILE"]
        if let file, !file.isEmpty {
            do {
                let state = try ConfigurationState(
                    jsonData: Data(contentsOf: URL(filePath: file)))
                // No setting is marked as a secret yet.
                let problem = state.problemsText(
                    of: "The file of overrides '\(file)'", isSecret: { _ in true })
                if let problem { problems.append(problem) }
                overrides = state.sections.mapValues(\.settings)
            } catch {
                problems.append(
                    "The overrides in '\(file)' cannot be used: \(error.logDescription)")
            }
        }
        for name in ["-ActiveConfigOverride", "-ActiveConfigOverrideFile"]
        where arguments.last == name {
            problems.append("The argument \(name) is the last one and has no value.")
        }
        for argument in arguments
        where argument.hasPrefix("-ActiveConfigOverride=")
            || argument.hasPrefix("--ActiveConfigOverride")
        {
            problems.append(
                "An argument is ignored: write -ActiveConfigOverride Section.key=value, with one hyphen "
                    + "and a space.")
        }
        let lines = environment["ACTIVECONFIG_OVERRIDES"].map { Self.lines(of: $0) } ?? []
        let texts =
            lines.enumerated().filter { !$1.isEmpty }
            .map { ($1, "line \($0 + 1) of ACTIVECONFIG_OVERRIDES") }
            + arguments.values(after: "-ActiveConfigOverride").enumerated()
            .map { ($1, "-ActiveConfigOverride number \($0 + 1)") }
        for (text, place) in texts {
            guard let (section, key, value) = parse(text) else {
                // Without the value, which may be a secret.
                let name = text.contains("=") ? text.prefix { $0 != "=" } : "…"
                problems.append(
                    "The override \"\(name)=…\", \(place), cannot be used: write Section.key=value."
                )
                continue
            }
            overrides[section, default: [:]][key] = value
        }
        return OverridePolicy(
            isEnabled: true, initialValues: overrides, problems: problems)
    }

    /// A value may contain other line breaks.
    private static func lines(of text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).trimmingCharacters(in: .whitespaces.union(["\r"])) }
    }

    private static func parse(_ text: String) -> (String, String, SettingValue)? {
        // By scalars: a combining mark at the start of the value would form one character with the
        // sign.
        let parts = text.unicodeScalars.split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let names = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            .map(Self.trimmed)
        guard parts.count == 2, names.count == 2, !names[0].isEmpty, !names[1].isEmpty else {
            return nil
        }
        let value = trimmed(parts[1])
        return (
            names[0], names[1],
            (try? SettingValue(jsonData: Data(value.utf8))) ?? .string(value)
        )
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        String(text).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension [String] {
    fileprivate func values(after name: String) -> [String] {
        indices.dropLast().filter { self[$0] == name }.map { self[$0 + 1] }
    }
}
