/// Arguments of the program: `StreamLoad PORT [SOURCES [IN-FLIGHT]]`.
struct LoadOptions: Sendable, Hashable {
    /// Port of the server on 127.0.0.1.
    let port: Int

    /// Number of source addresses: 127.0.0.1 and those after it.
    ///
    /// More than one requires a system where all of 127.0.0.0/8 is loopback, such as Linux.
    var sources = 1

    /// Maximum number of clients that connect at the same time.
    var connectsInFlight = 500

    /// Parses the arguments without the program's name; nil if they are invalid.
    init?(_ arguments: some Collection<String>) {
        let numbers = arguments.compactMap { Int($0) }
        guard (1...3).contains(numbers.count), numbers.count == arguments.count,
            (1...65_535).contains(numbers[0])
        else { return nil }
        port = numbers[0]
        if numbers.count > 1 { sources = numbers[1] }
        if numbers.count > 2 { connectsInFlight = numbers[2] }
        guard (1...250).contains(sources), connectsInFlight > 0 else { return nil }
    }
}
