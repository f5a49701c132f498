package import ActiveConfig
import Foundation
package import JSONTree
import NIOCore
package import Templates

/// A project's template and pinned values as one document in the exchange format, with which a
/// service evaluates its users itself.
///
/// ```json
/// {"config_sections": {"Evaluation": {"settings": {
///   "format": {"value": 1}, "pins": {"value": "{}"}, "template": {"value": "{\"parameters\":{}}"}}}},
///  "meta": {"creation_time": "…", "format_version_string": "1.0", "template_version": 12}}
/// ```
///
/// Template and pins are texts, since clients keep neither the digits of long numbers nor names that
/// differ in their bytes only.
package enum EvaluationDocument: Sendable {
    /// The format that this program writes and reads; a later one may need a later program.
    package static let format = 1

    /// The section with the settings of the document.
    package static let sectionName = "Evaluation"

    /// Writes the document of a project.
    package static func rendered(_ project: PublishedProject) -> RenderedDocument {
        let version = project.compiled.version
        let pins = JSONNode(
            sorting: project.overrides.compactMap { userID, values in
                project.compiled.effective(values).map { (key: userID.text, value: $0.json) }
            })
        // Services of an earlier release would evaluate archived settings.
        let template = project.compiled.template.withoutArchivedParameters.json(
            includingVersion: false)
        let settings: JSONNode = [
            "format": ["value": .number("\(format)")],
            "pins": ["value": .string(pins.description)],
            "template": ["value": .string(template.description)],
        ]
        let document: JSONNode = [
            "config_sections": [sectionName: ["settings": settings]],
            "meta": [
                "creation_time": .string(version.updateTime.timestamp),
                "format_version_string": "1.0", "template_version": .number("\(version.number)"),
            ],
        ]
        return RenderedDocument(
            jsonBytes: ByteBuffer(bytes: document.jsonData()), version: version.number)
    }

    /// Reads a document that a server wrote, and compiles its template.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - cache: The cache of the users' rendered documents.
    /// - Returns: The project, which renders the same documents as the server's.
    /// - Throws: ``EvaluationDocumentError`` when this program cannot read it.
    package static func project(
        in document: ConfigurationState, cache: RenderCache
    ) throws(EvaluationDocumentError) -> PublishedProject {
        guard let section = document[sectionName], let text = section.string(forKey: "template")
        else { throw EvaluationDocumentError("it contains no template") }
        guard case .integer(let number)? = section["format"], number == format else {
            throw EvaluationDocumentError(
                "its format is \(section["format"].map { "\($0)" } ?? "missing"), and this program "
                    + "reads format \(format): update the program")
        }
        guard let updateTime = date(writtenAs: document.creationTime),
            let versionNumber = document.templateVersion
        else { throw EvaluationDocumentError("its version or time is missing") }
        let validated: ValidatedTemplate
        do {
            validated = try ValidatedTemplate(jsonData: Data(text.utf8), limits: .none)
        } catch {
            throw EvaluationDocumentError("the template cannot be read: \(error)")
        }
        let version = TemplateVersion(number: versionNumber, updateTime: updateTime)
        return PublishedProject(
            CompiledTemplate(validated, version: version), overrides: try overrides(in: document),
            cache: cache)
    }

    /// The time of which `timestamp` is this text; nil for any other text.
    private static func date(writtenAs text: String) -> Date? {
        guard let date = Date(timestamp: text), date.timestamp.hasSameBytes(as: text) else {
            return nil
        }
        return date
    }

    /// Indicates whether two documents differ in nothing but the pinned values.
    package static func hasSameTemplate(
        _ document: ConfigurationState, as other: ConfigurationState
    ) -> Bool {
        guard let section = document[sectionName], let otherSection = other[sectionName],
            let text = section.string(forKey: "template"),
            let otherText = otherSection.string(forKey: "template")
        else { return false }
        return document.meta == other.meta && section["format"] == otherSection["format"]
            && text.hasSameBytes(as: otherText)
    }

    /// Reads the pinned values of a document that a server wrote.
    ///
    /// - Throws: ``EvaluationDocumentError`` when this program cannot read them.
    package static func overrides(
        in document: ConfigurationState
    ) throws(EvaluationDocumentError) -> [ExactText: OverridesDocument] {
        guard let text = document[sectionName]?.string(forKey: "pins") else {
            throw EvaluationDocumentError("it contains no pinned values")
        }
        do {
            let pins = try JSONNode(
                jsonData: Data(text.utf8), limits: ConfigurationLimits(maximumSize: .max))
            guard let users = pins.objectValue else {
                throw EvaluationDocumentError("the pinned values are not an object")
            }
            var overrides: [ExactText: OverridesDocument] = [:]
            for (userID, values) in users {
                overrides[ExactText(userID)] = try OverridesDocument(jsonData: values.jsonData())
            }
            return overrides
        } catch let error as EvaluationDocumentError {
            throw error
        } catch {
            throw EvaluationDocumentError("the pinned values cannot be read: \(error)")
        }
    }
}

/// A document that this program cannot evaluate.
package struct EvaluationDocumentError: Error, Sendable, CustomStringConvertible {
    /// The problem, phrased as the end of a sentence.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
