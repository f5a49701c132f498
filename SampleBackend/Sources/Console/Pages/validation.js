/**
 * Validation of a template by the server, also during typing.
 */

import {call, projectPath, ServerError} from './api.js';
import {isWithin} from './paths.js';

/** Debounce interval in milliseconds. */
const pause = 250;

/**
 * Validates a template on the server; nothing is stored.
 *
 * @returns {Promise<{problems: object[], normalized: ?object, warning: ?string}>} `normalized` is
 *     the template in the form in which the server would store it; null if it has problems.
 * @throws ServerError for other statuses than 400 and 413; NoAnswerError; AbortError.
 */
export async function validate(project, template, signal) {
    try {
        const answer = await call(
            'PUT', projectPath(project, 'remoteConfig', {validateOnly: true}),
            {body: template, ifMatch: '*', signal});
        return {problems: [], normalized: answer.body, warning: answer.warning};
    } catch (error) {
        if (!(error instanceof ServerError) || ![400, 413].includes(error.status)) throw error;
        const problems = error.details.length
            ? error.details : [{path: '', message: error.message}];
        return {problems, normalized: null, warning: null};
    }
}

/** Problems at a path or below it. */
export function problemsWithin(problems, path) {
    return problems.filter((problem) => isWithin(problem.path, path));
}

/** A problem as a sentence; columns count Unicode scalars from 1. */
export function sentence({message, column}) {
    const text = message.charAt(0).toUpperCase() + message.slice(1);
    const end = /[.!?]$/.test(text) ? '' : '.';
    return column ? `Column ${column}: ${text}${end}` : `${text}${end}`;
}

/** Debounced validation; each check cancels the one before. */
export class LiveValidation {
    #timer = 0;
    #abort = new AbortController();

    /**
     * @param {string} project Name of the project.
     * @param {function({state: string, problems: object[], message?: string}): void} report
     *     Receives `checking` at once, then `done`, or `unknown` with a message when the request
     *     failed.
     */
    constructor(project, report) {
        this.project = project;
        this.report = report;
    }

    /** Validates a template after the debounce interval. */
    check(template) {
        this.stop();
        this.report({state: 'checking', problems: []});
        this.#timer = setTimeout(() => this.#ask(template), pause);
    }

    /** Cancels the pending or running check; it reports nothing more. */
    stop() {
        clearTimeout(this.#timer);
        this.#abort.abort();
        this.#abort = new AbortController();
    }

    async #ask(template) {
        const {signal} = this.#abort;
        try {
            const {problems} = await validate(this.project, template, signal);
            if (!signal.aborted) this.report({state: 'done', problems});
        } catch (error) {
            if (!signal.aborted) {
                this.report({state: 'unknown', problems: [], message: error.message});
            }
        }
    }
}
