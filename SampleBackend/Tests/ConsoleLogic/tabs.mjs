/**
 * Tabs of a browser with the workspace of the project `default`, for tests of drafts. A test file that
 * imports this has a separate server, storages and clock for each test.
 */

import {Clock, emptyStorages, settled} from './browser.mjs';
import {afterEach, beforeEach} from 'node:test';

import {DraftServer} from './draft-server.mjs';
import {Workspace} from '../../Sources/Console/Pages/drafts/workspace.js';

/** Template with settings outside of groups, such as `{a: '1'}`. */
export const template = (values) => ({parameters: Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, {defaultValue: {value}}]))});

/** Values of the settings outside of groups. */
export const valuesOf = ({parameters = {}}) => Object.fromEntries(
    Object.entries(parameters).map(([key, {defaultValue}]) => [key, defaultValue.value]));

/** The clock of the test. */
export let clock;
/** The server of the test, which has published `{a: '1', b: '1'}`. */
export let server;
let opened;

beforeEach(() => {
    emptyStorages();
    clock = new Clock().start();
    server = new DraftServer(template({a: '1', b: '1'}));
    opened = [];
});

afterEach(() => {
    for (const workspace of opened) workspace.sync.stop();
    clock.end();
});

/** Stops a workspace at the end of the test; returns it. */
export function stoppedAfterwards(workspace) {
    opened.push(workspace);
    return workspace;
}

/** Removes all published versions from the server. */
export function unpublish() {
    server.versions.clear();
}

/** A workspace of the user `ada` as in a tab, loaded; `hasDialog` says whether a dialog is open. */
export async function tab({user = 'ada', mayEdit = true, hasDialog = () => false} = {}) {
    const workspace = stoppedAfterwards(new Workspace('default', user, mayEdit, hasDialog));
    await workspace.load();
    return workspace;
}

/** Waits until all work without a timer has finished. */
export async function done() {
    for (let step = 0; step < 50; step += 1) await settled();
}
