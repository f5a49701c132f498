import ArgumentParser
import HTTPServing

/// The option of commands that may publish in a protected project without approvals.
struct BypassOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Publish in a protected project without approvals, and record this reason; the token "
                + "needs the permission.", valueName: "reason"))
    var bypass: String?

    /// The query of a request that publishes; empty without the option.
    func query() -> String { bypass.map { "?bypass=\($0.percentEncoded)" } ?? "" }
}
