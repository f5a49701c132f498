"""Faults in the history of change requests, each planted in a copy of a history without violations."""

import copy
import random

from reviewers import changes_of
from reviews import COMMENTED, Index, Version, check, last_name, voters


class Faults:
    """The faults of one history, which concern a request that was published with approvals, or any act.

    Each method changes a copy of the history, and that request in it.
    """

    def __init__(self, history, required, seed):
        self.history, self.required, self.random = history, required, random.Random(seed)
        # Not the first one, since a fault gives its vote over another version than the one before it.
        published = [request for request in history.requests.values()
                     if request["state"] == "published" and "bypassReason" not in request["ending"]
                     and int(request["ending"]["versionNumber"]) > 2]
        self.request = self.random.choice(published)["id"] if published else None
        self.number = int(history.requests[self.request]["ending"]["versionNumber"]) if published else 0

    def found(self):
        """The names of the faults, and whether the checks report each by the right kind of violation."""
        if self.request is None:
            return
        for kind, faults in {
                "gate": [self.drop_vote, self.vote_by_author, self.vote_by_same_person, self.vote_on_other_content,
                         self.vote_over_other_version, self.vote_over_older_values, self.vote_after_publish,
                         self.object_to, self.publish_without_request],
                "version": [self.publish_twice, self.answer_other_version],
                "content": [self.take_back, self.lose_change],
                "lost": [self.lose_comment, self.reopen, self.lose_entry, self.show_late],
                "twice": [self.store_vote_twice, self.repeat_entry], "refused": [self.store_refused],
                "audit": [self.add_entry, self.lose_entry_of_comment]}.items():
            for fault in faults:
                history = self.copied()
                try:
                    fault(history, history.requests[self.request])
                except IndexError:
                    continue  # The history has no such act.
                yield fault.__name__, kind in {violation.kind for violation in check(history, self.required)}

    def copied(self):
        """A copy of the history in what faults change."""
        history = copy.copy(self.history)
        history.acts = [copy.copy(act) for act in history.acts]
        history.reads, history.audit = list(history.reads), list(history.audit)
        history.requests = copy.deepcopy(history.requests)
        history.versions = {number: copy.copy(version) for number, version in history.versions.items()}
        for version in history.versions.values():
            version.values = dict(version.values)
        return history

    def done(self, history, *kinds):
        return self.random.choice([act for act in history.acts if act.kind in kinds and act.outcome == "done"])

    def some_needed_vote(self, history, request):
        """A vote that is counted, after votes that are not needed were dropped; and its act."""
        people = sorted(voters(history, Index(history), request, changes_of(request), self.number))[:self.required]
        request["votes"] = [vote for vote in request["votes"] if vote["person"] in people]
        vote = self.random.choice(request["votes"])
        return vote, next(act for act in history.acts if act.name == vote["comment"])

    def drop_vote(self, history, request):
        vote, _ = self.some_needed_vote(history, request)
        request["votes"].remove(vote)

    def vote_by_author(self, history, request):
        vote, act = self.some_needed_vote(history, request)
        act.person = vote["person"] = request["author"]["person"]

    def vote_by_same_person(self, history, request):
        vote, act = self.some_needed_vote(history, request)
        act.person = vote["person"] = next(one["person"] for one in request["votes"] if one is not vote)

    def vote_on_other_content(self, history, request):
        self.some_needed_vote(history, request)[1].content = "other"

    def vote_over_other_version(self, history, request):
        self.some_needed_vote(history, request)[1].seen += 1

    def vote_over_older_values(self, history, request):
        vote, act = self.some_needed_vote(history, request)
        act.seen = 1
        vote["liveVersionNumber"] = "1"
        history.versions[1].values |= {key: "before" for key in changes_of(request)}

    def vote_after_publish(self, history, request):
        name = self.some_needed_vote(history, request)[1].name
        late = [entry for entry in history.audit if last_name(entry.get("detail")) == name]
        history.audit = [entry for entry in history.audit if entry not in late] + late

    def object_to(self, _history, request):
        request["votes"][0]["verdict"] = "requestChanges"

    def publish_twice(self, history, _request):
        last = max(history.versions)
        history.versions[last + 1] = Version(
            last + 1, history.versions[last].values, history.versions[self.number].description)

    def take_back(self, history, request):
        key = next(key for key in history.versions[self.number].values if key not in changes_of(request))
        history.versions[self.number].values[key] = "earlier"

    def lose_change(self, history, request):
        history.versions[self.number].values[next(iter(changes_of(request)))] = "earlier"

    def publish_without_request(self, history, _request):
        history.versions[self.number].description = "by hand"

    def lose_comment(self, history, _request):
        act = self.done(history, "comment")
        history.requests[act.request]["comments"] = [
            one for one in history.requests[act.request]["comments"] if one["text"] != act.name]

    def store_vote_twice(self, _history, request):
        request["comments"].append({"text": request["votes"][0]["comment"]})

    def reopen(self, history, _request):
        history.requests[self.done(history, "close").request]["state"] = "open"

    def lose_entry(self, history, _request):
        name = self.done(history, "create", "edit", "retitle", "approve", "close").name
        history.audit = [entry for entry in history.audit
                         if entry["action"] == COMMENTED or last_name(entry.get("detail")) != name]

    def lose_entry_of_comment(self, history, _request):
        history.audit.remove(self.random.choice([entry for entry in history.audit if entry["action"] == COMMENTED]))

    def repeat_entry(self, history, _request):
        history.audit.append(self.random.choice(
            [entry for entry in history.audit if entry["action"] == "APPROVE_CHANGE_REQUEST"]))

    def add_entry(self, history, _request):
        history.audit.append(history.audit[-1] | {"action": "CLOSE_CHANGE_REQUEST", "detail": "T: nobody-1"})

    def answer_other_version(self, history, _request):
        self.done(history, "publish").version += 1

    def show_late(self, history, _request):
        read = self.random.choice([read for read in history.reads if read.names])
        history.reads.append(copy.copy(read))
        history.reads[-1].invoked = history.reads[-1].returned = read.returned + 1
        history.reads[-1].names = read.names[:-1]

    def store_refused(self, history, _request):
        self.done(history, "comment", "approve", "close").outcome = "refused"
