import Foundation
import HTTPServing
import NIOConcurrencyHelpers

/// A file with ``OpenIDRules``, which can be read again.
public final class OpenIDRulesFile: Sendable {
    /// The path.
    public let path: String

    private let current: NIOLockedValueBox<OpenIDRules>

    /// Reads a file.
    ///
    /// - Throws: An ``OpenIDError`` with the path, and the line or place of the first mistake.
    public init(path: String) async throws(OpenIDError) {
        self.path = path
        current = NIOLockedValueBox(try await Self.rules(ofFile: path))
    }

    /// Rules that are in no file, for tests.
    package init(_ rules: OpenIDRules) {
        path = ""
        current = NIOLockedValueBox(rules)
    }

    /// The rules that were read last.
    package var rules: OpenIDRules { current.withLockedValue { $0 } }

    /// Reads the file again.
    ///
    /// - Throws: An ``OpenIDError``; the rules that were read before stay active.
    package func read() async throws(OpenIDError) {
        let rules = try await Self.rules(ofFile: path)
        current.withLockedValue { $0 = rules }
    }

    /// Replaces the rules, for tests.
    package func replace(by rules: OpenIDRules) { current.withLockedValue { $0 = rules } }

    private static func rules(ofFile path: String) async throws(OpenIDError) -> OpenIDRules {
        let data: Data
        do {
            data = try await onBlockingThread {
                let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
                defer { try? file.close() }
                return try file.read(upToCount: OpenIDRules.maximumBytes + 1) ?? Data()
            }
        } catch {
            throw OpenIDError("The rules in \(path) cannot be read.")
        }
        do throws(OpenIDError) {
            return try OpenIDRules(jsonData: data)
        } catch {
            throw OpenIDError("The rules in \(path) cannot be used: \(error).")
        }
    }
}
