/// The expected state of a store before a change, so that the change overwrites no unknown state.
public enum StateExpectation: Sendable, Hashable {
    /// Something or nothing.
    case any
    /// Nothing.
    case absent
    /// Something.
    case present
    /// The state with this tag.
    case tag(String)
}

extension StateExpectation {
    /// True when the state with a tag is as expected; a nil tag represents absence.
    package func isMet(byTag tag: String?) -> Bool {
        switch self {
        case .any: true
        case .absent: tag == nil
        case .present: tag != nil
        case .tag(let expected): tag?.utf8.elementsEqual(expected.utf8) ?? false
        }
    }
}
