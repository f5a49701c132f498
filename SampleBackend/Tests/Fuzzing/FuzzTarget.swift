/// Entry point of libFuzzer for each input; `fuzz.sh` defines the type `FuzzedProperties`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if let violation = FuzzedProperties.violation(input) {
        fatalError("does not hold: \(violation)")
    }
    return 0
}
