import JSONTree
import OrderedCollections

/// Prints the preview of one user.
struct UserReport {
    /// An element of `users` in the server's response.
    private let node: JSONNode

    init(_ node: JSONNode) {
        self.node = node
    }

    /// The user's ID, or a name for the generic user.
    private var name: String {
        node["userID"]?.stringValue.map { "user \($0.escapedForTerminal.quotedAtWhiteSpace)" }
            ?? "everybody without a user ID"
    }

    /// Prints the changed settings with their old and new values.
    func printChanges() {
        defer { printAssumption() }
        let changes = node["changes"]?.objectValue ?? [:]
        guard !changes.isEmpty else {
            Terminal.print("Nothing changes for \(name).")
            return
        }
        Terminal.print(Terminal.colored("For \(name):", .bold))
        for (section, keys) in changes {
            for key in (keys.arrayValue ?? []).compactMap(\.stringValue) {
                let old = value(of: key, in: section, of: "current")
                let new = value(of: key, in: section, of: "proposed")
                Terminal.print("  \(section).\(key)".escapedForTerminal)
                if let old { Terminal.print(Terminal.colored("    - \(old)", .red)) }
                if let new { Terminal.print(Terminal.colored("    + \(new)", .green)) }
            }
        }
    }

    /// Prints the signals that conditions need but the request lacks, if there are any.
    private func printAssumption() {
        let names = (node["missingSignals"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard !names.isEmpty else { return }
        Terminal.print(
            Terminal.colored(
                "  This assumes that the app sends no \(names.joined(separator: ", ")): conditions "
                    + "on it are false.", .dim))
    }

    /// Prints the version of an earlier time, and whether its pinned values are known.
    private func printPast() {
        guard let at = node["at"]?.stringValue, let version = node["version"] else { return }
        let text = { (member: String) in version[member]?.stringValue?.escapedForTerminal ?? "?" }
        let user = version["updateUser"]
        let author = (user?["name"] ?? user?["email"])?.stringValue.map { " by \($0)" } ?? ""
        Terminal.print(
            "At \(at): version \(text("versionNumber")), published \(text("updateTime"))"
                + author.escapedForTerminal)
        if node["pins"] == "unknown" {
            let reason = node["pinsReason"]?.stringValue?.escapedForTerminal ?? ""
            Terminal.print(
                Terminal.colored(
                    "The values pinned then are not known, and left out here. \(reason)", .yellow))
        }
    }

    /// Prints each setting with its value and the reason, then each condition.
    func printReasons() {
        Terminal.print(Terminal.colored("Settings of \(name)", .bold))
        printPast()
        for (section, settings) in node["settings"]?.objectValue ?? [:] {
            Terminal.print(section.escapedForTerminal)
            for (key, reason) in settings.objectValue ?? [:] {
                let value = reason["value"]?.description ?? "(left out: the app's own default)"
                Terminal.print("  \(key) = \(value)".escapedForTerminal)
                Terminal.print(Terminal.colored("      \(Self.sentence(reason))", .dim))
            }
        }
        let conditions = node["conditions"]?.arrayValue ?? []
        guard !conditions.isEmpty else { return }
        Terminal.print(Terminal.colored("Conditions", .bold))
        for condition in conditions {
            let isTrue = condition["result"] == true
            let result = Terminal.colored(isTrue ? "true " : "false", isTrue ? .green : .red)
            let name = condition["name"]?.stringValue?.escapedForTerminal ?? ""
            Terminal.print("  \(result)  \(name)")
            if let rule = condition["failedRule"]?.stringValue {
                let reason = condition["reason"]?.stringValue ?? ""
                Terminal.print(Terminal.colored("           \(rule): \(reason)", .dim))
            }
            for percentile in condition["percentiles"]?.arrayValue ?? [] {
                let seed = percentile["seed"]?.stringValue ?? ""
                let place = percentile["percentile"]?.description ?? ""
                Terminal.print(
                    Terminal.colored(
                        "           percentile \(place)" + (seed.isEmpty ? "" : " of seed \(seed)"),
                        .dim))
            }
        }
    }

    /// The reason for a setting's value.
    private static func sentence(_ reason: JSONNode) -> String {
        let failed = names(reason["falseConditions"])
        let unevaluated = names(reason["unevaluatedConditions"])
        let others =
            unevaluated.isEmpty
            ? "" : "; true, but its value is of a kind that is not evaluated: \(unevaluated)"
        switch reason["source"]?.stringValue {
        case "OVERRIDE": return "pinned for this user"
        case "CONDITION":
            return "condition \"\(reason["condition"]?.stringValue ?? "")\""
                + (failed.isEmpty ? "" : "; false before it: \(failed)") + others
        default:
            return "default value" + (failed.isEmpty ? "" : "; false: \(failed)") + others
        }
    }

    /// The names in a list, separated by commas.
    private static func names(_ list: JSONNode?) -> String {
        (list?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ", ")
    }

    /// The value in the user's document `current` or `proposed`.
    private func value(of key: String, in section: String, of document: String) -> JSONNode? {
        node[document]?["config_sections"]?[section]?["settings"]?[key]?["value"]
    }
}
