package import Foundation

extension [UInt8] {
    /// The bytes as lowercase hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Data {
    /// The bytes as lowercase hexadecimal digits.
    package var hexadecimal: String { Array(self).hexadecimal }
}
