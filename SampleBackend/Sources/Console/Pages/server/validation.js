/**
 * Validation of a template by the server, also while the user types.
 */

import {afterPress} from '../input/press.js';
import {patch} from '../json/json-patch.js';
import {isWithin} from '../template/paths.js';
import {capitalized} from '../text/formats.js';
import {call, projectPath, ServerError} from './api.js';

/** Debounce interval in milliseconds. */
const pause = 250;

/**
 * Time limit for each response while the user types, in milliseconds, since the user waits to keep
 * an edit.
 */
const answerLimit = 5_000;

/**
 * Validates a template on the server, which stores nothing.
 *
 * @param {string} project
 * @param {Template} template
 * @param {AbortSignal} [signal]
 * @param {number} [limit] Time limit for the response, see `call`.
 * @returns {Promise<{problems: Problem[], normalized: ?Template, warning: ?string}>} `normalized`
 *     is the template in the form in which the server would store it; null if it has problems.
 * @throws ServerError for other statuses than 400 and 413; NoAnswerError; AbortError.
 */
export async function validate(project, template, signal, limit) {
    try {
        const answer = await call(
            'PUT', projectPath(project, 'remoteConfig', {validateOnly: true}),
            {body: template, ifMatch: '*', signal, limit});
        return {problems: [], normalized: answer.body, warning: answer.warning};
    } catch (error) {
        return {problems: problemsOf(error), normalized: null, warning: null};
    }
}

/**
 * Problems of a template that the server refused; throws all other errors.
 *
 * @param {unknown} error
 * @returns {Problem[]}
 */
function problemsOf(error) {
    if (!(error instanceof ServerError) || ![400, 413].includes(error.status)) throw error;
    return error.details.length ? error.details : [{path: '', message: error.message}];
}

/**
 * Statuses with which the server refuses a patch for a reason other than its result: the draft was
 * changed elsewhere, the patch does not apply or is too large, or the route is missing.
 */
const unpatched = [404, 405, 409, 412, 413];

/**
 * Validates an edit of the workspace's template on the server, and sends only its changes; the
 * server stores nothing.
 *
 * @param {Workspace} workspace
 * @param {Template} template
 * @param {AbortSignal} [signal]
 * @param {number} [limit] Time limit for each response, see `call`.
 * @returns {Promise<Problem[]>} The problems.
 * @throws ServerError for other statuses than those of `validate`; NoAnswerError; AbortError.
 */
export async function validateEdit(workspace, template, signal, limit) {
    const {template: before, base, tag} = workspace.patched;
    const path = projectPath(workspace.project, 'draft', {
        validateOnly: true, baseVersion: tag ? undefined : base});
    try {
        await call('PATCH', path, {signal, limit,
            body: patch(before, template), contentType: 'application/json-patch+json',
            ...(tag ? {ifMatch: tag} : {ifNoneMatch: '*'})});
        return [];
    } catch (error) {
        if (error instanceof ServerError && unpatched.includes(error.status)) {
            return (await validate(workspace.project, template, signal, limit)).problems;
        }
        return problemsOf(error);
    }
}

/**
 * Problems at a path or below it.
 *
 * @param {Problem[]} problems
 * @param {string} path
 */
export function problemsWithin(problems, path) {
    return problems.filter((problem) => isWithin(problem.path ?? '', path));
}

/**
 * A problem as a sentence; columns count Unicode scalars from 1.
 *
 * @param {Problem} problem
 */
export function sentence({message, column}) {
    const text = capitalized(message);
    const end = /[.!?]$/.test(text) ? '' : '.';
    return column ? `Column ${column}: ${text}${end}` : `${text}${end}`;
}

/**
 * Sentence about an edit without problems of its own: the server accepts it, or a limit of the
 * whole template is exceeded, such as that of the length of all values.
 *
 * @param {Problem[]} problems Problems of the template.
 * @param {boolean} [isDoubtful] True if the form shows a doubt about a value.
 */
export function acceptance(problems, isDoubtful = false) {
    const whole = problems.filter(({path}) => !path).map(({message}) => message);
    return whole.length ? `You can keep this, but not publish the draft: ${whole.join('; ')}.`
        : `The server accepts this${isDoubtful ? ', but see the note at the rule' : ''}.`;
}

/** Debounced validation; each check cancels the previous one. */
export class LiveValidation {
    #timer = 0;
    #abort = new AbortController();
    /**
     * Resolve the promises of `settled`.
     *
     * @type {((isChecked: boolean) => void)[]}
     */
    #waiting = [];

    /** True from the start of a check until its result is reported. */
    isChecking = false;

    /**
     * @param {Workspace} workspace Workspace whose template is edited.
     * @param {(report: ValidationReport) => void} report
     *     Receives `checking` immediately, then `done`, or `unknown` with a message when the
     *     request failed or took too long.
     */
    constructor(workspace, report) {
        this.workspace = workspace;
        this.report = report;
    }

    /**
     * Validates a template after the debounce interval.
     *
     * @param {Template} template
     */
    check(template) {
        this.stop();
        this.isChecking = true;
        this.report({state: 'checking', problems: []});
        this.#timer = setTimeout(() => this.#ask(template), pause);
    }

    /** Cancels the pending or running check; it reports nothing more. */
    stop() {
        clearTimeout(this.#timer);
        this.#abort.abort();
        this.#abort = new AbortController();
        this.#settle(false);
    }

    /**
     * Waits for the running check; true once its result is reported, false when it was cancelled.
     *
     * @returns {Promise<boolean>}
     */
    settled() {
        if (!this.isChecking) return Promise.resolve(true);
        return new Promise((resolve) => {
            this.#waiting.push(resolve);
        });
    }

    /** @param {boolean} isChecked */
    #settle(isChecked) {
        this.isChecking = false;
        for (const resolve of this.#waiting.splice(0)) resolve(isChecked);
    }

    /** @param {Template} template */
    async #ask(template) {
        const {signal} = this.#abort;
        /** @type {ValidationReport} */
        let result;
        try {
            const problems = await validateEdit(this.workspace, template, signal, answerLimit);
            result = {state: 'done', problems};
        } catch ({message}) {
            result = {state: 'unknown', problems: [], message};
        }
        // Messages below the fields move the buttons.
        afterPress(() => {
            if (signal.aborted) return;
            this.report(result);
            this.#settle(true);
        });
    }
}
