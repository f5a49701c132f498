/**
 * Checks of a template by the server while somebody types.
 */

import {call, projectPath, ServerError} from './api.js';
import {isWithin} from './paths.js';

/** Milliseconds without typing before the server is asked. */
const pause = 250;

/**
 * Asks the server what is wrong with a template.
 *
 * @returns {Promise<{problems: object[], normalized: ?object, warning: ?string}>} `normalized` is
 *     the template as it would be stored.
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

/** The problems at a place or in it. */
export function problemsWithin(problems, path) {
    return problems.filter((problem) => isWithin(problem.path, path));
}

/** A problem as a sentence; the column is the character's, from 1. */
export function sentence({message, column}) {
    const text = message.charAt(0).toUpperCase() + message.slice(1);
    const end = /[.!?]$/.test(text) ? '' : '.';
    return column ? `Column ${column}: ${text}${end}` : `${text}${end}`;
}

/** Checks what is typed, at most once per pause; only the newest answer counts. */
export class LiveValidation {
    #timer = 0;
    #abort = new AbortController();

    /**
     * @param {string} project The project.
     * @param {function({state: string, problems: object[]}): void} report Gets `checking`, then
     *     `done`, or `unknown` when the server cannot say.
     */
    constructor(project, report) {
        this.project = project;
        this.report = report;
    }

    /** Checks a template after the pause. */
    check(template) {
        this.stop();
        this.report({state: 'checking', problems: []});
        this.#timer = setTimeout(() => this.#ask(template), pause);
    }

    /** Checks nothing more. */
    stop() {
        clearTimeout(this.#timer);
        this.#abort.abort();
        this.#abort = new AbortController();
    }

    /** Asks the server. */
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
