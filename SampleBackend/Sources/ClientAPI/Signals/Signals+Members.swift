package import JSONTree
package import OrderedCollections
import Targeting

extension Signals {
    /// Reads the signals of a JSON object and checks their limits (HTTP 1).
    ///
    /// Truth values are signals by their text, numbers by the text that JavaScript gives them (`5.0`
    /// is "5"); null, arrays and objects are passed over.
    ///
    /// - Parameter members: `{"device.os": "ios", "plan": "gold"}`; the names are those of
    ///   ``setValue(_:named:)``.
    /// - Throws: ``SignalError`` when a limit is exceeded.
    package init(members: OrderedDictionary<String, JSONNode>) throws(SignalError) {
        self.init()
        for (name, value) in members {
            guard let text = value.signalText else { continue }
            try setValue(text, named: name)
        }
    }
}

extension JSONNode {
    /// The value as a signal's text; nil for null and for what is no single value.
    fileprivate var signalText: String? {
        switch self {
        case .string(let text): text
        case .number(let text): ScriptNumber.text(ofJSON: text)
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
