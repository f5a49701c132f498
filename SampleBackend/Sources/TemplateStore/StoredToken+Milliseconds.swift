extension StoredToken {
    /// The token with its times to the millisecond, as it is stored.
    package var roundedToMilliseconds: StoredToken {
        StoredToken(
            id: id, name: name, role: role, hash: hash,
            creationDate: creationDate.roundedToMilliseconds,
            expirationDate: expirationDate?.roundedToMilliseconds,
            lastUseDate: lastUseDate?.roundedToMilliseconds,
            revocationDate: revocationDate?.roundedToMilliseconds)
    }
}
