import Observation

#if canImport(Darwin)
    /// Needs the systems of 2025.
    func first(of digits: InlineArray<3, Int>) -> Int { digits[0] }  // misuse
#endif
