import ArgumentParser
import ClientAPI

/// `sample-backend keys`: the keys that sign documents (PROTOCOL 1).
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make keys that sign documents, and show what apps need of them.",
        subcommands: [Generate.self, Public.self])

    /// `sample-backend keys generate`.
    struct Generate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key, and print its private and its public part.",
            discussion: """
                The first line is the private key, the second the public one, which apps verify \
                documents with. Keep what is printed in a file that only the server may read, and \
                give that to "serve --signing-key ID:FILE".
                """)

        @Option(help: "The ID of the key, such as the month in which it is made.")
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
            abstract: "Print the public keys, one a line, as apps take them.",
            discussion: "ID:BASE64, the 32 bytes of an Ed25519 key (RFC 8032).")

        @Option(
            name: .customLong("signing-key"),
            help: ArgumentHelp(
                "A key as \"serve\" has it; may be given more than once.",
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
