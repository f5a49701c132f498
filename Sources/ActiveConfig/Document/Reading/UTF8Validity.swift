/// Where bytes stop being UTF-8; asked only when they are not.
enum UTF8Validity {
    /// The offset of the first byte that is not part of a well-formed sequence, or nil.
    static func firstFault(in bytes: UnsafeRawBufferPointer) -> Int? {
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = unsafe bytes.makeIterator()
        var offset = 0
        while true {
            switch unsafe decoder.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }
}
