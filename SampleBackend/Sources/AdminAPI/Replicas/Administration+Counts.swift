import ClientAPI

// The counts of all replicas.
extension Administration {
    /// The acknowledgements of a project at all replicas.
    func acknowledgementCounts(
        inProject project: String, others: OtherReplicas?
    ) -> AcknowledgementCounts {
        let own = acknowledgements?.replicaAcknowledgements(inProject: project)
        return AcknowledgementCounts(
            ofReplicas: (own.map { [$0] } ?? [])
                + (others?.acknowledgements(inProject: project) ?? []))
    }

    /// The open streams of a project at all replicas.
    func connectionCounts(
        inProject project: String, others: OtherReplicas?
    ) async -> ConnectionCounts {
        var counts = await hub?.connections(inProject: project) ?? ConnectionCounts()
        if let others { counts.add(others.connections(inProject: project)) }
        return counts
    }
}
