extension RequestDispatcher {
    /// The same wait, whose response is completed and recorded when it comes.
    func recorded(_ opening: WaitOpening, of incoming: Incoming) -> WaitOpening {
        WaitOpening { eventLoop, completion in
            opening.begin(eventLoop) { result in
                switch result {
                case .success(let response):
                    completion(.success(finish(response, to: incoming, isTimed: false)))
                case .failure(let error):
                    completion(.success(refusal(of: incoming, for: error, isTimed: false)))
                }
            }
        }
    }
}
