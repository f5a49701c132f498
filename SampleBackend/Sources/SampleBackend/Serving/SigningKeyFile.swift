import ArgumentParser
import ClientAPI
import Foundation
import HTTPServing

/// The value of `--signing-key`: the ID of a key and the file with the key.
struct SigningKeyFile: Sendable, Hashable, ExpressibleByArgument {
    /// The environment variable with keys in addition to the files.
    private static let variable = "ACTIVECONFIG_SIGNING_KEY"

    /// Maximum size of a file.
    private static let maximumBytes = 16_384

    let id: String
    let path: String

    /// Parses `ID:FILE`.
    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        id = String(parts[0])
        path = String(parts[1])
    }

    /// The keys in the files, then those in the environment.
    ///
    /// - Throws: `ValidationError` when one cannot be used, or two have the same ID.
    static func keys(of files: [SigningKeyFile]) throws -> [SigningKey] {
        var keys = try files.map { try $0.key }
        let environment =
            try Secret.environment(
                variable, form: "ID:BASE64, which \"sample-backend keys generate\" creates"
            )?.text ?? ""
        for word in environment.split(whereSeparator: \.isWhitespace) {
            let parts = word.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else {
                throw ValidationError(
                    "\(variable) is not a list of ID:BASE64, separated by white space.")
            }
            keys.append(try key(id: String(parts[0]), text: String(parts[1]), of: variable))
        }
        if Set(keys.map(\.id)).count < keys.count {
            throw ValidationError("Two signing keys have the same ID: give each its own.")
        }
        return keys
    }

    private var key: SigningKey {
        get throws {
            guard let file = FileHandle(forReadingAtPath: path) else {
                throw ValidationError(
                    "The file \(path) of --signing-key cannot be read.")
            }
            defer { try? file.close() }
            let data = (try? file.read(upToCount: Self.maximumBytes)) ?? Data()
            return try Self.key(
                id: id, text: String(decoding: data, as: UTF8.self), of: "--signing-key")
        }
    }

    private static func key(
        id: String, text: String, of place: String
    ) throws -> SigningKey {
        do throws(SigningKeyError) {
            return try SigningKey(id: id, text: text)
        } catch {
            throw ValidationError(
                "\(place) cannot be used: \(error). \"sample-backend keys generate\" creates one.")
        }
    }
}
