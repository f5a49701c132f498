extension String {
    /// Whether the UTF-8 of this name sorts before that of another.
    ///
    /// Swift's `<` is no strict weak order for names that are not in Unicode's normal form: a Kelvin
    /// sign is neither before "K::" nor after it nor equal. Sorting by it depends on the order before.
    func precedes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension Sequence<String> {
    /// The names sorted by their UTF-8, so that equal sets of names give the same order.
    func sortedByBytes() -> [String] { sorted { $0.precedes($1) } }
}
