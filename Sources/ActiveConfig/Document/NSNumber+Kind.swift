import Foundation

/// What kind of number an `NSNumber` holds, which its conversions hide.
extension NSNumber {
    /// Whether it is a boolean, not the number 0 or 1: booleans have a class of their own.
    var isBoolean: Bool { type(of: self) == type(of: NSNumber(value: true)) }

    /// Whether it is of a floating-point type, even if its value is whole.
    ///
    /// A decimal number that is whole counts as an integer.
    var isFloatingPoint: Bool {
        if self is NSDecimalNumber { return Int(exactly: self) == nil }
        return unsafe ["f", "d"].contains(String(cString: objCType))
    }
}
