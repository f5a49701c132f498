import HTTPServing
import JSONTree
import NIOCore
import Rendering
import Targeting
import Templates

/// All flags of a user, evaluated and encoded.
struct OFREPFlagSet: Sendable {
    /// The body of a bulk evaluation.
    let jsonBytes: ByteBuffer

    /// The entity tag over all flags, the version, the user and all signals; it starts with the
    /// version's number and a hyphen.
    ///
    /// It is the same on every replica and after a restart, and changes when the result of a
    /// time-based condition changes.
    let entityTag: EntityTag

    /// Evaluates the flags of a user in a project.
    init(_ published: PublishedProject, project: String, context: TargetingContext) {
        let flags = published.reasons(for: context).flags.map { key, reason in
            do throws(RequestError) {
                return try reason.evaluation(ofFlag: key)
            } catch {
                return error.evaluationFailure(ofFlag: key)
            }
        }
        var body: JSONNode = [
            "flags": .array(flags), "metadata": published.evaluationMetadata,
        ]
        let uri = OFREPEventStream.uri(
            project: project, userID: context.userID, signals: context.signals)
        var content = ByteBuffer(bytes: body.jsonData())
        content.writeString(uri)
        entityTag = EntityTag(
            ofContent: content, prefix: "\(published.compiled.version.number)-")
        body.setMember("eventStreams", OFREPEventStream.list(uri: uri))
        jsonBytes = ByteBuffer(bytes: body.jsonData())
    }
}

extension PublishedProject {
    /// The `metadata` of an evaluation.
    var evaluationMetadata: JSONNode {
        ["templateVersion": .number("\(compiled.version.number)")]
    }
}
