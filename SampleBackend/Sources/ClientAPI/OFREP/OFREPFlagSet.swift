import HTTPServing
import JSONTree
import NIOCore
import Rendering
import Targeting
import Templates

/// A type that holds all flags of a user, evaluated and ready to be sent.
struct OFREPFlagSet: Sendable {
    /// The body of a bulk evaluation.
    let jsonBytes: ByteBuffer

    /// The state of the body: of all flags and the version, and of the user and all signals.
    ///
    /// It is the same on every replica and after a restart, and changes when the time makes a
    /// condition true.
    let entityTag: EntityTag

    /// Evaluates the flags of a user.
    ///
    /// - Parameters:
    ///   - configuration: What is published in the project.
    ///   - project: The project's name.
    ///   - context: Who asks, with what signals, and when.
    init(_ configuration: ProjectConfiguration, project: String, context: TargetingContext) {
        let flags = configuration.reasons(for: context).flags.map { key, reason in
            do throws(RequestError) {
                return try reason.evaluation(ofFlag: key)
            } catch {
                return error.evaluationFailure(ofFlag: key)
            }
        }
        var body: JSONNode = [
            "flags": .array(flags), "metadata": configuration.evaluationMetadata,
        ]
        let uri = OFREPEventStream.uri(
            project: project, userID: context.userID, signals: context.signals)
        var content = ByteBuffer(bytes: body.jsonData())
        content.writeString(uri)
        entityTag = EntityTag(ofContent: content)
        body.setMember("eventStreams", OFREPEventStream.list(uri: uri))
        jsonBytes = ByteBuffer(bytes: body.jsonData())
    }
}

extension ProjectConfiguration {
    /// What an evaluation says beside the values.
    var evaluationMetadata: JSONNode {
        ["templateVersion": .number("\(compiled.version.number)")]
    }
}
