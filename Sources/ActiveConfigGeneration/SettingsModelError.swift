import ActiveConfig

/// Why there is no model, with the place in the file.
///
/// ```text
/// Line 6, column 35, in config_sections.Checkout.settings.limit.value: the default is the string
/// "ten" where an integer is expected; change one of them, or the type in the schema.
/// ```
public struct SettingsModelError: Error, Sendable, Hashable {
    /// The input files of a model.
    ///
    /// Files may be added: keep a `default` when you switch over it.
    public struct File: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case document, schema
        }

        private let kind: Kind

        /// The document with the defaults.
        public static let document = File(kind: .document)
        /// The schema with types and descriptions.
        public static let schema = File(kind: .schema)

        /// The file's name here, such as `schema`.
        public var description: String { kind.rawValue }
    }

    /// The effect of a diagnostic on a build.
    public enum Severity: String, Sendable, Hashable {
        /// The build fails.
        case error
        /// The build continues.
        case warning
    }

    /// The file; nil for a model created in code.
    public var file: File?

    /// The line, from 1; nil for a model created in code.
    public var line: Int?

    /// The column, from 1, in Unicode scalars; nil for a model created in code.
    public var column: Int?

    /// The path in the file, such as `config_sections.Checkout.settings.limit.value`, or in the
    /// value.
    public var path: String

    /// The fault and what to do, a sentence without its full stop.
    public var reason: String

    init(
        reason: String, path: String = "", file: File? = nil,
        position: (line: Int, column: Int)? = nil
    ) {
        self.file = file
        line = position?.line
        column = position?.column
        self.path = path
        self.reason = reason
    }

    init(_ error: ConfigurationFormatError, in file: File) {
        self.file = file
        line = error.line
        column = error.column
        path = error.path
        reason = error.reason
    }
}

extension SettingsModelError: CustomStringConvertible {
    /// One sentence with the place, the fault and what to do.
    public var description: String {
        let place = path.isEmpty ? "" : "in \(path): "
        guard let line, let column else { return "\(place)\(reason)." }
        return "Line \(line), column \(column), \(place)\(reason)."
    }

    /// The error in the form of compilers' messages, so that build systems and editors show its
    /// place.
    ///
    /// - Parameters:
    ///   - path: The path of ``file``.
    ///   - severity: The word before the reason.
    /// - Returns: `PATH:LINE:COLUMN: error: …`.
    public func diagnostic(path: String, severity: Severity = .error) -> String {
        let place = self.path.isEmpty ? "" : "in \(self.path): "
        return "\(path):\(line ?? 1):\(column ?? 1): \(severity.rawValue): \(place)\(reason)"
    }
}
