import ActiveConfig
import ActiveConfigRealtime
import Foundation

/// Output as a view and sentences, or as lines of JSON.
struct SampleOutput {
    /// Each event is a line of JSON.
    let isJSON: Bool

    func started(user: String?) {
        write(
            event: "started", ["user": Self.value(user)],
            Terminal.isInteractive
                ? "Keys: 1 2 3 choose a user, g the generic one, d downloads, e explains, l asks whether "
                    + "the app may run, q quits."
                : "Started as \(Self.name(user)).")
    }

    func show(_ view: SampleViewConfiguration, source: String, user: String?) {
        write(
            event: "section",
            ["user": Self.value(user), "source": .string(source), "view": view.settingValue],
            SampleScreen.text(of: view, caption: "\(Self.name(user)), \(source)"))
    }

    func explain(_ report: ConfigurationReport) {
        write(event: "report", ["report": report.settingValue], report.description)
    }

    func launched(_ state: LaunchGate.State) {
        let text =
            switch state {
            case .loading: "The configuration is being downloaded."
            case .ready: "The app may run."
            case .maintenance(let message, let end):
                [
                    message ?? "The app is in maintenance.",
                    end.map { "Until \($0.formatted(.iso8601))." },
                ]
                .compactMap { $0 }.joined(separator: " ")
            case .updateRequired(let version): "Version \(version) or a newer one is needed."
            }
        write(event: "launch", ["may_run": .bool(state == .ready)], text)
    }

    func userChanged(to user: String?) {
        write(event: "user", ["user": Self.value(user)], "The user is now \(Self.name(user)).")
    }

    func downloaded(_ result: DownloadResult) {
        let names = result.changedSectionNames.sorted()
        write(
            event: "download",
            [
                "user": Self.value(result.userID),
                "is_current": .bool(result.configurationIsCurrent),
                "changed": .array(names.map { .string($0) }),
            ],
            names.isEmpty
                ? "Downloaded for \(Self.name(result.userID)): nothing has changed."
                : "Downloaded for \(Self.name(result.userID)): \(names.joined(separator: ", ")).")
    }

    func failed(_ error: any Error, shown source: String) {
        let isOffline = (error as? DownloadError)?.code == .cannotConnect
        write(
            event: "download_failed",
            ["offline": .bool(isOffline), "message": .string("\(error)")],
            "\(isOffline ? "Offline" : "The download failed"), still shown is what was last known "
                + "(\(source)). \(error)")
    }

    func updated(_ update: ActiveConfigUpdate) {
        switch update {
        case .state(let state, let user):
            let (name, text) = Self.description(of: state)
            write(
                event: "live", ["user": Self.value(user), "state": .string(name)],
                "Live, \(Self.name(user)): \(text)")
        case .applied(let update):
            let names = update.changedSectionNames.sorted()
            let version = update.templateVersion
            write(
                event: "update",
                [
                    "user": Self.value(update.userID),
                    "version": version.map { .integer($0) } ?? .null,
                    "changed": .array(names.map { .string($0) }),
                ],
                "Live, \(Self.name(update.userID)): version \(version.map { "\($0)" } ?? "?") is here, "
                    + (names.isEmpty
                        ? "nothing has changed." : "\(names.joined(separator: ", ")) changed."))
        case .pending(let update):
            let names = update.sectionNames.sorted()
            let verb = names.count == 1 ? "waits" : "wait"
            write(
                event: "pending",
                [
                    "user": Self.value(update.userID),
                    "version": update.templateVersion.map { .integer($0) } ?? .null,
                    "sections": .array(names.map { .string($0) }),
                ],
                "Live, \(Self.name(update.userID)): \(names.joined(separator: ", ")) \(verb) for "
                    + "activation.")
        }
    }

    private static func description(
        of state: ActiveConfigUpdateState
    ) -> (name: String, text: String) {
        switch state {
        case .connecting: ("connecting", "connecting.")
        case .live: ("live", "connected, each change arrives at once.")
        case .polling(let interval):
            ("polling", "the server is asked every \(interval.components.seconds) seconds.")
        case .waiting(let end, let reason):
            (
                "waiting",
                "not connected"
                    + (end.map { ", again at \($0.formatted(.iso8601))" } ?? "")
                    + ". \(reason)"
            )
        case .paused: ("paused", "paused in the background.")
        default: ("stopped", "stopped.")
        }
    }

    private func write(event: String, _ members: [String: SettingValue], _ text: String) {
        var members = members
        members["event"] = .string(event)
        let line = isJSON ? SettingValue.object(members).description : text
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    private static func value(_ user: String?) -> SettingValue { user.map { .string($0) } ?? .null }

    private static func name(_ user: String?) -> String {
        user.map { "user \($0)" } ?? "the generic user"
    }
}

/// The view as text: a block of its colour with its label, and its button.
enum SampleScreen {
    private static let width = 58

    /// The view, in colour on a terminal, elsewhere with the colour's components as numbers.
    static func text(of view: SampleViewConfiguration, caption: String) -> String {
        let parts = [view.red, view.green, view.blue].map { "\(($0 * 1000).rounded() / 1000)" }
        let button = view.isButtonEnabled ? "[ Button ]" : "( Button, disabled )"
        guard Terminal.hasColors else {
            return """
                View (\(caption))
                  color:  red \(parts[0]), green \(parts[1]), blue \(parts[2])
                  label:  \(view.label)
                  button: \(view.isButtonEnabled ? "enabled" : "disabled")
                """
        }
        let background = [view.red, view.green, view.blue].map(level)
        // Black on light, white on dark, by the eye's weights for the three colours.
        let luminance =
            0.299 * clamped(view.red) + 0.587 * clamped(view.green) + 0.114 * clamped(view.blue)
        let foreground = luminance > 0.5 ? "30" : "97"
        let style =
            "\u{1B}[48;2;\(background.map(String.init).joined(separator: ";"));\(foreground)m"
        let dim = view.isButtonEnabled ? "\u{1B}[1m" : "\u{1B}[2m"
        let lines = [
            line("", style), line(view.label, style), line("", style),
            line(button, style + dim), line("", style),
        ]
        return "\u{1B}[2m\(caption)\u{1B}[0m\n" + lines.joined(separator: "\n")
    }

    /// Centred.
    private static func line(_ text: String, _ style: String) -> String {
        let shown = text.count > width - 2 ? text.prefix(width - 3) + "…" : text[...]
        let left = (width - shown.count) / 2
        let right = width - shown.count - left
        return style + String(repeating: " ", count: left) + shown
            + String(repeating: " ", count: right) + "\u{1B}[0m"
    }

    /// In 0 … 255.
    private static func level(_ part: Double) -> Int { Int((clamped(part) * 255).rounded()) }

    private static func clamped(_ part: Double) -> Double { min(max(part, 0), 1) }
}
