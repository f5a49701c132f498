final class Counter {
    var count = 0
}

func countTwice() async {
    let counter = Counter()
    Task { counter.count += 1 }  // misuse
    counter.count += 1
}
