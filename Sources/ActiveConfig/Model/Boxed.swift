/// A value behind a reference.
///
/// A copy of a structure retains each of its fields. A structure that is copied in many places keeps
/// fields that are rarely read or changed behind one reference: without it, the copies were a tenth
/// of the framework's code. `indirect` does the same for an enumeration. A change allocates another
/// object.
@propertyWrapper
struct Boxed<Value: Sendable>: Sendable {
    private final class Object: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var object: Object

    init(wrappedValue: Value) { object = Object(wrappedValue) }

    var wrappedValue: Value {
        get { object.value }
        set { object = Object(newValue) }
    }
}

extension Boxed: Equatable where Value: Equatable {
    static func == (left: Boxed, right: Boxed) -> Bool {
        left.object === right.object || left.object.value == right.object.value
    }
}

extension Boxed: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(object.value) }
}
