import {settled} from './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {ServerError} from '../../Sources/Console/Pages/server/api.js';
import {fateOfPages} from '../../Sources/Console/Pages/frame/fate-of-pages.js';
import {SessionController} from '../../Sources/Console/Pages/frame/session-controller.js';

const ada = {name: 'ada', role: 'editor', csrfToken: 'a'};
const adaAgain = {...ada, csrfToken: 'a2'};
const limited = (projects) => ({...ada, csrfToken: JSON.stringify(projects), projects});
const bob = {name: 'bob', role: 'editor', csrfToken: 'b'};
const signedOut = () => Promise.reject(new ServerError(401, null));
const noAnswer = () => Promise.reject(new Error('No answer.'));

for (const [name, shown, hasPages, session, fate] of [
    ['nothing was shown', null, false, ada, 'replaced'],
    ['the session is that of the pages', ada, true, ada, 'renewed'],
    ['the user has another token', ada, true, adaAgain, 'renewed'],
    ['the user has another role', ada, true, {...ada, role: 'viewer', csrfToken: 'v'}, 'reloaded'],
    ['the user has other projects', limited({a: 'editor'}), true,
        limited({a: 'viewer', b: 'editor'}), 'reloaded'],
    ['the user has all projects since', limited({a: 'editor'}), true, adaAgain, 'reloaded'],
    ['the user has the same projects', limited({a: 'editor', b: 'viewer'}), true,
        {...limited({b: 'viewer', a: 'editor'}), csrfToken: 'a2'}, 'renewed'],
    ['another user begins', ada, true, bob, 'reloaded'],
    ['another user begins after the pages were left', ada, false, bob, 'reloaded'],
    ['the same session begins after the pages were left', ada, false, ada, 'replaced'],
    ['another token of the user begins after the pages were left', ada, false, adaAgain, 'reloaded'],
]) {
    test(`pages are ${fate} when ${name}`, () => {
        assert.equal(fateOfPages(shown, hasPages, session), fate);
    });
}

/**
 * A controller with a log of what it does. `session` and `tokens` are what the server answers;
 * `answers` are the answers to questions.
 */
function tab({session = () => Promise.resolve(ada), tokens = {}, answers = []} = {}) {
    const log = [];
    const shown = {log, session, answers, fragment: '#/p/settings', onSignedOut: null, again: null,
        refuse: null, signIn: null, retry: null,
        closing: null};
    const ports = {
        currentSession: () => shown.session(),
        firstSession: () => shown.session(),
        signIn: async (token) => tokens[token]?.() ?? signedOut(),
        signInAgain: ({session: owner}, elsewhere) => {
            log.push(`again ${owner.name}`);
            return Promise.race([elsewhere, new Promise((resolve) => {
                shown.again = resolve;
            })]).then(async (session) => {
                await shown.closing;
                log.push('closed');
                return session;
            });
        },
        pagesOf: (owner, onSignedOut) => {
            log.push(`pages ${owner.name}`);
            shown.onSignedOut = onSignedOut;
            return {session: owner,
                workspaces: {withDraft: [], sendDrafts: () => log.push('drafts'),
                    keepDrafts: (isWhole) => isWhole && log.push('keep drafts')},
                start: ({isFirst}) => log.push(isFirst ? 'start first' : 'start'),
                follow: (before) => log.push(`follow ${before}`),
                end: () => log.push('end')};
        },
        showSignIn: (notice, onSignedIn) => {
            log.push(`form ${notice ?? ''}`.trim());
            shown.signIn = onSignedIn;
        },
        showFailure: (text, retry) => {
            log.push(`failure ${text}`);
            shown.retry = retry;
        },
        ask: async ({title}) => {
            log.push(`ask ${title}`);
            const answer = shown.answers.shift();
            return typeof answer === 'function' ? answer() : answer;
        },
        endDialogs: async () => shown.closing,
        dropQuery: () => log.push('drop query'), reload: () => log.push('reload'), fragment: () => shown.fragment,
        setCSRFToken: (token) => log.push(`csrf ${token}`),
        setSignedOutHandler: (handler) => {
            shown.refuse = handler;
        },
        forgetUser: (name, {keepsWork}) => log.push(`forget ${name}${keepsWork ? ', not work' : ''}`),
    };
    return {shown, log, controller: new SessionController(ports)};
}

/** What was done since the last call. */
const taken = ({log}) => log.splice(0).join('; ');

/** A tab that shows the pages of `ada`. */
async function startedTab(options) {
    const started = tab(options);
    await started.controller.start(null);
    assert.equal(taken(started), 'csrf a; pages ada; start first');
    return started;
}

test('a session continues', () => startedTab());

test('without a session the form is shown, and leads to the pages', async () => {
    const one = tab({session: signedOut});
    await one.controller.start(null);
    assert.equal(taken(one), 'form');
    one.shown.signIn(ada);
    await settled();
    assert.equal(taken(one), 'csrf a; pages ada; start');
});

test('a failure is shown, and can be repeated', async () => {
    const one = tab({session: noAnswer});
    await one.controller.start(null);
    assert.equal(taken(one), 'failure No answer.');
    one.shown.session = async () => ada;
    await one.shown.retry();
    assert.equal(taken(one), 'csrf a; pages ada; start first');
});

test('the token of a link signs in where nobody is signed in', async () => {
    const one = tab({session: signedOut, tokens: {t: async () => bob}});
    await one.controller.start('t');
    assert.equal(taken(one), 'csrf b; pages bob; start');
});

test('a wrong token of a link shows the form, and says so', async () => {
    const one = tab({session: signedOut});
    await one.controller.start('wrong');
    assert.equal(taken(one), 'form The token of this link is unknown, expired or revoked.');
});

test('a link asks before it replaces a session', async () => {
    const one = tab({tokens: {t: async () => bob}, answers: [false]});
    await one.controller.start('t');
    assert.equal(taken(one), 'ask Sign in with this link?; csrf a; pages ada; start first');
});

test('the question of a link stays when the first session is answered during it', async () => {
    for (const isAnswered of [true, false]) {
        let answer;
        const one = tab({tokens: {t: async () => bob}});
        one.shown.session = () => new Promise((resolve) => {
            answer = resolve;
        });
        const first = one.controller.start(null);
        one.shown.session = async () => ada;
        one.shown.answers = [async () => {
            answer(ada);
            await settled();
            assert.equal(taken(one), 'ask Sign in with this link?');
            return isAnswered;
        }];
        await one.controller.followLink('t', '#/p/settings');
        await first;
        assert.equal(taken(one), isAnswered
            ? 'csrf b; pages bob; start' : 'csrf a; pages ada; start first');
    }
});

test('a first session that fails during the question of a link says nothing', async () => {
    let fail;
    const one = tab({tokens: {t: async () => bob}});
    one.shown.session = () => new Promise((_, reject) => {
        fail = reject;
    });
    const first = one.controller.start(null);
    one.shown.session = async () => ada;
    one.shown.answers = [async () => {
        fail(new Error('No answer.'));
        await settled();
        return true;
    }];
    await one.controller.followLink('t', '#/p/settings');
    await first;
    assert.equal(taken(one), 'ask Sign in with this link?; csrf b; pages bob; start');
});

test('a link of another user loads the page anew', async () => {
    const one = await startedTab({tokens: {t: async () => bob}, answers: [true]});
    await one.controller.followLink('t', '#/p/settings');
    assert.equal(taken(one), 'ask Sign in with this link?; end; drop query; reload');
});

test('the query of a page stays for the same user, and for a link to it', async () => {
    const one = await startedTab({tokens: {t: async () => bob}, answers: [true]});
    one.shown.fragment = '#/p/user?id=9';
    await one.controller.followLink('t', '#/p/settings');
    assert.equal(taken(one), 'ask Sign in with this link?; end; reload');
    const other = await startedTab();
    other.shown.session = async () => ({...ada, role: 'viewer', csrfToken: 'v'});
    await other.controller.follow();
    assert.equal(taken(other), 'keep drafts; end; reload');
});

test('a token of the user for other projects loads the page anew, with the drafts of the tab', async () => {
    const one = await startedTab();
    one.shown.session = signedOut;
    const call = one.shown.refuse();
    await settled();
    one.shown.again(limited({a: 'editor'}));
    assert.equal(await call, false);
    assert.equal(taken(one), 'again ada; closed; keep drafts; end; reload');
});

test('the query stays when another user signs in again with a link to a page', async () => {
    const one = await startedTab();
    one.shown.session = signedOut;
    const call = one.shown.refuse();
    await settled();
    one.shown.fragment = '#/p/user?id=9';
    one.shown.again(bob);
    await call;
    assert.equal(taken(one), 'again ada; closed; end; reload');
});

test('a link with another token of the user keeps the pages, and sends the drafts', async () => {
    const one = await startedTab({tokens: {t: async () => adaAgain}, answers: [true]});
    await one.controller.followLink('t', '#/p/settings');
    assert.equal(taken(one), 'ask Sign in with this link?; csrf a2; drafts');
});

test('a link with a page shows that, whether its token was taken or not', async () => {
    for (const [tokens, answers] of [
        [{t: async () => adaAgain}, [true]], [{}, [false]], [{}, [true, true]]]) {
        const one = await startedTab({tokens, answers});
        one.shown.fragment = '#/p/history';
        await one.controller.followLink('t', '#/p/settings');
        assert.equal(one.log.at(-1), 'follow #/p/settings');
    }
});

test('a link without a page leaves the page as it is when its token is wrong', async () => {
    const one = await startedTab({answers: [true, true]});
    await one.controller.followLink('wrong', '#/p/settings');
    assert.equal(taken(one), 'ask Sign in with this link?; ask Not signed in with this link');
});

test('a link is tried again on request while the server is away', async () => {
    const results = [noAnswer, async () => adaAgain];
    const one = await startedTab({tokens: {t: () => results.shift()()}, answers: [true, true, true]});
    await one.controller.followLink('t', '#/p/settings');
    assert.equal(taken(one), 'ask Sign in with this link?; ask Not signed in with this link; '
        + 'ask Sign in with this link?; csrf a2; drafts');
});

test('a question that another tab has ended does nothing', async () => {
    const one = await startedTab({tokens: {t: async () => bob}});
    one.shown.answers = [async () => {
        one.shown.session = async () => bob;
        await one.controller.follow();
        return false;
    }];
    await one.controller.followLink('t', '#/p/settings');
    assert.equal(taken(one), 'ask Sign in with this link?; end; drop query; reload');
});

test('signing out shows the form', async () => {
    const one = await startedTab();
    one.shown.onSignedOut(' Your draft is kept.');
    await settled();
    assert.equal(taken(one), 'end; form You are signed out. Your draft is kept.');
});

test('the end of a session in another tab ends the pages, and keeps the work', async () => {
    const one = await startedTab();
    one.shown.session = signedOut;
    await one.controller.follow(true);
    assert.equal(taken(one), 'end; form You signed out in another tab.; forget ada, not work');
});

test('the session of another tab is followed', async () => {
    for (const [session, log] of [[ada, ''], [adaAgain, 'csrf a2; drafts'], [bob, 'end; drop query; reload']]) {
        const one = await startedTab();
        one.shown.session = async () => session;
        await one.controller.follow();
        assert.equal(taken(one), log);
    }
});

test('only the last answer about another tab counts', async () => {
    const one = await startedTab();
    let release;
    one.shown.session = () => new Promise((resolve) => {
        release = () => resolve(bob);
    });
    const first = one.controller.follow();
    one.shown.session = async () => ada;
    await one.controller.follow();
    release();
    await first;
    assert.equal(taken(one), '');
});

test('without an answer about another tab the pages stay', async () => {
    const one = await startedTab();
    one.shown.session = noAnswer;
    await one.controller.follow(true);
    assert.equal(taken(one), '');
});

test('refused calls share one question, and go on after it', async () => {
    const one = await startedTab();
    one.shown.session = signedOut;
    const calls = [one.shown.refuse(), one.shown.refuse()];
    await settled();
    assert.equal(taken(one), 'again ada');
    one.shown.again(adaAgain);
    assert.deepEqual(await Promise.all(calls), [true, true]);
    assert.equal(taken(one), 'closed; csrf a2; drafts');
});

test('a call that was refused before the session began goes on without a question', async () => {
    const one = await startedTab();
    assert.equal(await one.shown.refuse(), true);
    assert.equal(taken(one), '');
});

test('a refused call ends when another user signs in', async () => {
    const one = await startedTab();
    one.shown.session = signedOut;
    const call = one.shown.refuse();
    await settled();
    one.shown.again(bob);
    assert.equal(await call, false);
    assert.equal(taken(one), 'again ada; closed; end; drop query; reload');
});

test('a session of another tab ends the question', async () => {
    const one = await startedTab();
    one.shown.session = signedOut;
    const call = one.shown.refuse();
    await settled();
    one.shown.session = async () => adaAgain;
    await one.controller.follow();
    assert.equal(await call, true);
    assert.equal(taken(one), 'again ada; closed; csrf a2; drafts');
});

test('the question stays when another tab reports no session, unless that was ended', async () => {
    const one = await startedTab();
    one.shown.session = signedOut;
    one.shown.refuse();
    await settled();
    await one.controller.follow();
    assert.equal(taken(one), 'again ada');
    await one.controller.follow(true);
    assert.equal(taken(one), 'end; form You signed out in another tab.; forget ada, not work');
});

test('a refused call without an answer about the session ends', async () => {
    const one = await startedTab();
    one.shown.session = noAnswer;
    assert.equal(await one.shown.refuse(), false);
    assert.equal(taken(one), '');
});

test('calls of pages that were left do not ask', async () => {
    const one = await startedTab();
    const {refuse} = one.shown;
    one.shown.session = signedOut;
    await one.controller.follow(true);
    taken(one);
    assert.equal(await refuse(), false);
    assert.equal(taken(one), '');
});

test('after the question, sessions of other tabs are followed again', async () => {
    const one = await startedTab();
    one.shown.session = signedOut;
    const call = one.shown.refuse();
    await settled();
    one.shown.again(adaAgain);
    await call;
    taken(one);
    one.shown.session = async () => bob;
    await one.controller.follow();
    assert.equal(taken(one), 'end; drop query; reload');
});

test('a link that ends the question shows its page after that is closed', async () => {
    const one = await startedTab({tokens: {t: async () => adaAgain}});
    one.shown.session = signedOut;
    let close;
    one.shown.closing = new Promise((resolve) => {
        close = resolve;
    });
    one.shown.refuse();
    await settled();
    one.shown.fragment = '#/p/history';
    const link = one.controller.followLink('t', '#/p/settings');
    await settled();
    assert.equal(taken(one), 'again ada; csrf a2; drafts');
    close();
    await link;
    assert.equal(taken(one), 'closed; follow #/p/settings');
});

test('another session of the token sends no drafts', async () => {
    const one = await startedTab({tokens: {t: async () => ada}, answers: [true]});
    await one.controller.followLink('t', '#/p/settings');
    assert.equal(taken(one), 'ask Sign in with this link?; csrf a');
});

test('a change that a later one superseded shows nothing', async () => {
    const one = await startedTab();
    let close;
    one.shown.closing = new Promise((resolve) => {
        close = resolve;
    });
    one.shown.onSignedOut('');
    one.shown.session = async () => bob;
    const followed = one.controller.follow();
    await settled();
    close();
    await followed;
    assert.equal(taken(one), 'end; drop query; reload');
});

test('a link that failed after another user began says nothing', async () => {
    const one = await startedTab({answers: [true], tokens: {t: async () => {
        one.shown.session = async () => bob;
        await one.controller.follow();
        return noAnswer();
    }}});
    await one.controller.followLink('t', '#/p/settings');
    assert.equal(taken(one), 'ask Sign in with this link?; end; drop query; reload');
});
