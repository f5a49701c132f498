import ArgumentParser
import ClientAPI

/// The options of `serve` for signatures of documents (PROTOCOL 1) and for acknowledgements of
/// clients (PROTOCOL 2).
struct AssuranceOptions: ParsableArguments {
    @Option(
        name: .customLong("signing-key"),
        help: ArgumentHelp(
            "An Ed25519 key that signs documents, and its ID; may be given more than once.",
            discussion: "The file has the private key, PEM or Base64. The first key signs; the "
                + "others are for \"keys public\". Also the environment variable "
                + "ACTIVECONFIG_SIGNING_KEY with ID:BASE64, separated by white space.",
            valueName: "id:file"))
    var signingKeys: [SigningKeyFile] = []

    @Option(
        help: ArgumentHelp(
            "Maximum lifetime of a signature.", valueName: "seconds"))
    var signatureLifetime = DocumentSigner.defaultLifetime

    @Flag(help: "Accept acknowledgements from clients, and count them by version.")
    var acknowledgements = false

    @Option(
        help: ArgumentHelp(
            "The share of clients asked to acknowledge, above 0 and at most 1.",
            valueName: "share"))
    var acknowledgementShare = 1.0

    /// Rejects values out of range.
    ///
    /// - Throws: `ValidationError`.
    func validate() throws {
        let lifetimes = DocumentSigner.lifetimes
        guard lifetimes.contains(signatureLifetime) else {
            throw ValidationError(
                "--signature-lifetime is out of range: give \(lifetimes.lowerBound) to "
                    + "\(lifetimes.upperBound) seconds.")
        }
        guard acknowledgementShare > 0, acknowledgementShare <= 1 else {
            throw ValidationError(
                "--acknowledgement-share is out of range: give more than 0, and 1 at most.")
        }
    }

    /// Nil while acknowledgements are disabled.
    var acknowledgedShare: Double? { acknowledgements ? acknowledgementShare : nil }

    /// Nil without a key.
    ///
    /// - Throws: `ValidationError` when a key cannot be used.
    func documentSigner() throws -> DocumentSigner? {
        let keys = try SigningKeyFile.keys(of: signingKeys)
        return keys.first.map { DocumentSigner(key: $0, lifetime: signatureLifetime) }
    }
}
