import ArgumentParser
import ClientAPI

/// `sample-backend keys` creates and prints the keys that sign documents (PROTOCOL 1).
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Create keys that sign documents, and print their public part for apps.",
        subcommands: [Generate.self, Public.self])

    /// `sample-backend keys generate`.
    struct Generate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key, and print its private and its public part.",
            discussion: """
                The first line is the private key, the second the public key, with which apps \
                verify documents. Save the output in a file that only the server can read, and \
                pass that file to "serve --signing-key ID:FILE".
                """)

        @Option(help: "The ID of the key, such as the month of its creation.")
        var id: String

        /// - Throws: `ValidationError` when the ID is malformed.
        func run() throws {
            let key: SigningKey
            do throws(SigningKeyError) {
                key = try SigningKey.generate(id: id)
            } catch {
                throw ValidationError("--id cannot be used: \(error).")
            }
            Terminal.print("private \(key.privateText)")
            Terminal.print("public \(key.publicText)")
        }
    }

    /// `sample-backend keys public`.
    struct Public: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the public keys, one per line, in the form that apps accept.",
            discussion: "ID:BASE64, the 32 bytes of an Ed25519 key (RFC 8032).")

        @Option(
            name: .customLong("signing-key"),
            help: ArgumentHelp(
                "A key as for \"serve\"; may be given more than once.",
                discussion: "Also the environment variable ACTIVECONFIG_SIGNING_KEY.",
                valueName: "id:file"))
        var signingKeys: [SigningKeyFile] = []

        /// - Throws: `ValidationError` when there is no key, or one cannot be used.
        func run() throws {
            let keys = try SigningKeyFile.keys(of: signingKeys)
            guard !keys.isEmpty else {
                throw ValidationError("There is no key: give --signing-key.")
            }
            for key in keys { Terminal.print(key.publicText) }
        }
    }
}
