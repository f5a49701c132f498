/// Bookkeeping of users, and the choice of entries to release at the limit.
extension UserTable.State {
    mutating func use(_ entry: UserEntry) {
        useCount += 1
        var slot = slots[entry.userID] ?? UserTable.Slot()
        if slot.kept == nil { keptCount += 1 }
        (slot.entry, slot.kept, slot.use) = (entry, entry, useCount)
        slot.forgettings = entry.forgettings
        slots[entry.userID] = slot
        uses.append((entry.userID, useCount))
        // At most a few per entry, so the amortized cost is constant.
        if uses.count > 64, uses.count > 4 * slots.count {
            uses = ContiguousArray(
                uses[firstUse...].filter { slots[$0.userID]?.use == $0.use })
            firstUse = 0
        }
    }

    /// Releases the least recently used until the limit holds.
    ///
    /// - Returns: The entries, to be released after the lock.
    mutating func release(over limits: UserCacheLimits) -> [UserEntry] {
        var released: [UserEntry] = []
        while keptCount > max(limits.maximumCount, 0), firstUse < uses.count {
            let (userID, use) = uses[firstUse]
            firstUse += 1
            guard var slot = slots[userID], slot.use == use, let entry = slot.kept else { continue }
            slot.kept = nil
            slots[userID] = slot
            keptCount -= 1
            released.append(entry)
        }
        return released
    }

    /// Releases held entries that have no other reference, once there are many.
    ///
    /// Those whose documents the store could not take are kept, unless they are many themselves.
    ///
    /// - Returns: The entries, to be released after the lock.
    mutating func releaseHeld(butNot exception: UserID) -> [UserEntry] {
        guard heldCount > holdingThreshold else { return [] }
        var (stored, unstored): ([UserID], [UserID]) = ([], [])
        for userID in Array(slots.keys) where userID != exception {
            guard var slot = slots.removeValue(forKey: userID) else { continue }
            if slot.held != nil, isKnownUniquelyReferenced(&slot.held) {
                if slot.held?.hasUnstored == true {
                    unstored.append(userID)
                } else {
                    stored.append(userID)
                }
            }
            slots[userID] = slot
        }
        let rest = max(UserTable.leastHoldingThreshold, heldCount - stored.count)
        var released: [UserEntry] = []
        for userID in unstored.count > rest / 2 ? stored + unstored : stored {
            released += [slots[userID]?.held].compactMap(\.self)
            slots[userID]?.held = nil
        }
        heldCount -= released.count
        holdingThreshold = max(UserTable.leastHoldingThreshold, heldCount * 2)
        return released
    }

    /// Drops the slots of released entries.
    ///
    /// - Returns: Inspected entries, to be released after the lock.
    mutating func prune() -> [UserEntry] {
        guard slots.count > pruningThreshold else { return [] }
        var seen: [UserEntry] = []
        slots = slots.filter { _, slot in
            guard let entry = slot.entry else { return slot.forgettings != nil }
            seen.append(entry)
            return true
        }
        // Doubling the threshold makes the amortized cost of pruning constant.
        pruningThreshold = max(UserTable.leastPruningThreshold, slots.count * 2)
        return seen
    }
}
