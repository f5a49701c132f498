import ActiveConfig
public import ActiveConfigRealtime

/// What happens while a ``TemplateEvaluator`` follows its template.
///
/// Cases may be added: keep a `default` when you switch over it.
public enum EvaluationUpdate: Sendable, Hashable, CustomStringConvertible {
    /// Another template, or other pinned values, have become active; nil when the template names no
    /// version.
    case template(version: Int?)
    /// The connection has another state.
    case connection(ActiveConfigUpdateState)

    /// One line.
    public var description: String {
        switch self {
        case .template(let version?): "version \(version) of the template is active"
        case .template(nil): "a template is active"
        case .connection(let state): "the connection is \(state)"
        }
    }
}

/// The updates of a ``TemplateEvaluator``, for any number of iterations at a time.
///
/// It starts with the state of the connection. A slow iteration gets the newest state and the newest
/// version only.
public struct EvaluationUpdates: AsyncSequence, Sendable {
    let base: ConfigurationUpdates<ActiveConfigUpdate>

    /// Starts an iteration; no later change is missed.
    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    /// An iteration.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: ConfigurationUpdates<ActiveConfigUpdate>.Iterator

        /// The next update; nil when the task was cancelled.
        public mutating func next() async -> EvaluationUpdate? {
            await next(isolation: #isolation)
        }

        /// The next update; nil when the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> EvaluationUpdate?
        {
            while let update = await base.next(isolation: actor) {
                switch update {
                case .state(let state, _): return .connection(state)
                case .applied(let update): return .template(version: update.templateVersion)
                // Templates become active at once.
                case .pending: break
                }
            }
            return nil
        }
    }
}

@available(*, unavailable)
extension EvaluationUpdates.Iterator: Sendable {}
