// Shapes of the values that the console's modules exchange, for the types in their comments.

/** Names on the way to a place in a tree. */
type TreePath = string[];

type ParameterValue = {
    value?: string;
    useInAppDefault?: boolean;
};

type Parameter = {
    defaultValue?: ParameterValue;
    conditionalValues?: Record<string, ParameterValue>;
    valueType?: string;
    description?: string;
    owner?: string;
    tags?: string[];
    /** Reason why the setting stays. */
    permanent?: string;
    archived?: boolean;
};

type ParameterGroup = {
    description?: string;
    parameters?: Record<string, Parameter>;
};

type Condition = {
    name: string;
    expression?: string;
    /** Condition in the form of Firebase's server templates, in place of an expression. */
    condition?: object;
    tagColor?: string;
};

type Template = {
    conditions?: Condition[];
    parameters?: Record<string, Parameter>;
    parameterGroups?: Record<string, ParameterGroup>;
    version?: {description?: string};
};

/** Section of a template; the group is null for the parameters outside of groups. */
type Section = {
    group: string | null;
    name: string;
    description: string;
    settings: {key: string, parameter: Parameter}[];
};

/** Place of a setting in a template. */
type SettingPlace = {group: string | null, key: string};

/** Entry of the list of settings. */
type Setting = SettingPlace & {section: string, name: string, path: string, parameter: Parameter};

type SettingFilter = {find: string, type: string, condition: string, section: string, changed: string,
    tag: string, owner: string, archived: string};

type Version = {
    versionNumber: string;
    updateTime: string;
    updateUser?: {name?: string, email?: string};
    updateOrigin?: string;
    updateType?: string;
    rollbackSource?: string;
    undoneVersionNumber?: string;
    description?: string;
};

/**
 * Version with its template, as the server has it. Before the first publish there is no version, but
 * its number.
 */
type PublishedVersion = {
    template: Template,
    version: Version | null,
    number: string,
    etag: string,
};

type PartDifference = {name: string, old?: unknown, new?: unknown};

/** Version that changed a setting; without parts when a template is no longer kept. */
type SettingChange = {
    version: Version;
    change?: 'ADDED' | 'REMOVED' | 'CHANGED';
    parts?: PartDifference[];
};

/** Difference of a condition, a group, or a parameter, which has a section and a key. */
type Difference = {
    change: 'ADDED' | 'REMOVED' | 'CHANGED';
    name: string;
    section: string;
    key: string;
    parts: PartDifference[];
    /** Only of a comparison. */
    mark?: DifferenceMark;
};

/** Mark of a difference that is intended, or was. */
type DifferenceMark = {
    note: string;
    author: string;
    time: string;
    /** The project that has changed since; missing while the mark holds. */
    changed?: 'THIS' | 'OTHER' | 'BOTH';
};

type Differences = {
    conditions: Difference[];
    groups: Difference[];
    parameters: Difference[];
    /** Number of differences that are not listed, since the template is too large. */
    omitted?: number;
};

/** The part of a response about a draft's differences. */
type ReportedChanges = {changes: Differences | null, isBaseGone?: boolean};

type Draft = ReportedChanges & {
    template: Template;
    /** Number of the version that the draft began with. */
    base: string;
    baseTemplate: Template;
    etag: string;
};

/** Draft that the server has. */
type SavedDraft = {template: Template, base: string, tag: string};

/** Template to which the server applies patches; without a tag, that of a version. */
type PatchedTemplate = {template: Template, base: string, tag: string | null};

/** Draft that was sent. */
type SentDraft = {template: Template, base: string};

/** Draft that was sent without an answer. */
type UnansweredSave = {fingerprint: string, base: string};

/** Merge of a tab's draft with another one. */
type MergedDraft = SentDraft & {conflicts: TreePath[], replaced: Template | null};

/** State of a draft for its steps: the base is null where there is no draft. */
type DraftState = {template: Template, base: string | null};

/** Step of a draft; its templates have only what it changed. */
type DraftStep = {name: string, before: DraftState, after: DraftState};

/** Steps that can be undone and redone, the next one last. */
type DraftHistory = {done: DraftStep[], undone: DraftStep[]};

/** What the pages show: the draft, or without a base the published version. */
type ShownDraft = DraftState & {version: string};

/** Draft that a tab has seen last, with the template of its base. */
type EndedDraft = ShownDraft & {baseTemplate: Template};

/** Step that is undone or redone next. */
type NextStep = {
    name: string;
    /** The side that is left. */
    from: DraftState;
    /** The side that is restored. */
    to: DraftState;
    /** Base of the draft afterwards; null for the version that is shown. */
    base: string | null;
    /** True if the base is neither that of the draft, nor the version that is shown. */
    isOtherBase: boolean;
    /** The history afterwards. */
    history: DraftHistory;
};

/** Step that was undone or redone, with the places of it that others changed since. */
type TakenStep = {name: string, kept: TreePath[]};

/** Whether a named step may change the first template to the second one. */
type StepQuestion = (name: string, before: Template, after: Template) => Promise<boolean>;

/** Phase of the draft between a tab and the server: see `draft-sync.js`. */
type SyncPhase = 'saved' | 'saving' | 'merging' | 'waiting' | 'refused' | 'stopped';

type SyncState = {
    phase: SyncPhase;
    /** The version that the pages show. */
    current: PublishedVersion;
    newestVersion: Version | null;
    draft: Draft | null;
    /** The server's draft. */
    saved: SavedDraft | null;
    /** The draft that is being saved, or was refused; null where it is deleted. */
    sent: Draft | null;
    /** Saves whose outcome is unknown. */
    unanswered: UnansweredSave[];
    /** Why the server lacks the draft. */
    problem: string | null;
    overwritten: TreePath[];
    /** Template with the values that the edit replaced at these paths. */
    replaced: Template | null;
    left: TreePath[];
    /** Steps of a draft that went with its project, which was replaced by another of its name. */
    dropped: string[];
    /** Number of the user's tokens so far. */
    token: number;
    isPublishing: boolean;
    /** The tab's last publish, while something about it is to be shown; null without one. */
    publish: LastPublish | null;
};

/**
 * How the tab's last publish ended. `problem` says why nothing was published; `undone` is the
 * version that an undo published since, `newest` the one that replaced the published one before the
 * console knew of it. `isSeen` is false while no page has shown it.
 */
type LastPublish = {
    version?: Version;
    newest?: Version;
    isOwn?: boolean;
    undone?: Version;
    problem?: string;
    time: number;
    isSeen: boolean;
};

/** The server's draft, both null without one. */
type FoundDraft = {draft: Draft | null, saved: SavedDraft | null};

type KnownTemplates = {draft: Draft | null, current: PublishedVersion};

type SyncEvents = {
    edit: {draft: Draft | null, overwritten?: TreePath[], replaced?: Template | null,
        left?: TreePath[]};
    retry: {};
    check: {hasDialog: boolean};
    waited: {};
    stored: {answer: {changes?: Differences}, tag: string, token: number};
    /** `isGone` is true if the draft had ended elsewhere. */
    deleted: {token: number, isGone?: boolean};
    failed: {reason: 'conflict' | 'refused' | 'gone' | 'unanswered' | 'unavailable', message: string,
        token: number};
    read: FoundDraft & {token: number};
    found: {found: FoundDraft | null, seen: SyncState};
    loaded: {current: PublishedVersion, found: FoundDraft | null, seen: SyncState};
    replaced: {current: PublishedVersion, found: FoundDraft | null, dropped: string[]};
    noted: {};
    newest: {version: Version | null};
    publishing: {isPublishing: boolean};
    published: {publish: LastPublish | null};
    renew: {};
    stop: {};
};

type SyncEvent = {[Type in keyof SyncEvents]: {type: Type} & SyncEvents[Type]}[keyof SyncEvents];

type SavingEffect = {type: 'store', draft: Draft, patched: PatchedTemplate, token: number}
    | {type: 'delete', tag: string, token: number}
    | {type: 'read', token: number}
    | {type: 'wait'};

type SyncEffect = SavingEffect | {type: 'look', tag: string | undefined}
    | {type: 'record', replaced: Template} | {type: 'keep' | 'change' | 'notify' | 'load'};

type SyncHandlers = {[Type in keyof SyncEvents]?: (
    state: SyncState, event: SyncEvents[Type]) => {state: SyncState, effects: SyncEffect[]}};

type PatchOperation = {op: string, path: string, from?: string, value?: unknown};

/** A problem that the server, or a form, finds at a position in a template. */
type Problem = {path?: string, message: string, column?: number};

/** Response to a call with the parsed JSON; the tag is that of the requested or stored resource. */
type Answer = {status: number, body: any, etag: string, warning: string | null};

type CallOptions = {
    body?: unknown;
    ifMatch?: string;
    ifNoneMatch?: string;
    contentType?: string;
    signal?: AbortSignal;
    limit?: number;
    isRepeated?: boolean;
};

type Session = {
    name: string;
    role: string;
    csrfToken: string;
    /** Roles by project of a token that is limited to projects. */
    projects?: Record<string, string>;
    /** The person to whom the token belongs; null for a program, missing if the server did not say. */
    owner?: string | null;
    /** True if the token may publish without approvals; missing if the server did not say. */
    bypass?: boolean;
    /** True in an archived project. */
    isReadOnly?: boolean;
};

/** The pages of a session. */
type SessionPages = {
    session: Session;
    start: (options: {isFirst: boolean}) => unknown;
    /** Shows the page in the address after it changed from a fragment. */
    follow: (before: string) => void;
    workspaces: Pick<import('../../Sources/Console/Pages/drafts/workspaces.js').Workspaces,
        'withDraft' | 'sendDrafts' | 'keepDrafts'>;
    end: () => void;
};

/** An address that was entered: the token of a link, and the fragment without it. */
type EnteredAddress = {token: string | null, place: string};

/** What a session needs of the page and the server. */
type SessionPorts = {
    currentSession: () => Promise<Session>;
    /** The same, with what the pages get first. */
    firstSession: () => Promise<Session>;
    signIn: (token: string) => Promise<Session>;
    signInAgain: (pages: SessionPages, elsewhere: Promise<Session>) =>
        Promise<Session | undefined>;
    pagesOf: (session: Session, onSignedOut: (note: string) => void) => SessionPages;
    showSignIn: (notice: string | undefined, onSignedIn: (session: Session) => void) => void;
    showFailure: (text: string, retry: () => void) => void;
    ask: (question: {title: string, text: string, action: string, cancel?: string}) =>
        Promise<boolean>;
    endDialogs: () => Promise<void>;
    /** Removes the query from the address. */
    dropQuery: () => void;
    reload: () => void;
    /** Fragment of the address. */
    fragment: () => string;
    setCSRFToken: (token: string) => void;
    setSignedOutHandler: (handler: () => Promise<boolean>) => void;
    forgetUser: (user: string, options: {keepsWork?: boolean}) => void;
};

type Project = {
    name: string;
    displayName?: string | null;
    environment?: string | null;
    color?: string | null;
    archived?: boolean;
    versionNumber?: string;
    updateTime?: string;
    /** True until the first publish in a created project. */
    unpublished?: boolean;
};

type Workspace = import('../../Sources/Console/Pages/drafts/workspace.js').Workspace;

/** What a synced draft is given. */
type SyncOptions = {
    /** Name of the project. */
    project: string;
    /** Name of the signed-in user. */
    user: string;
    /** False if the user's role has no drafts. */
    mayEdit: boolean;
    /** True while a dialog is open; by default, one of the page. */
    hasDialog?: () => boolean;
    /** Called with `change`, `versionchange` or `ended`. */
    dispatch: (name: string) => unknown;
    /** Called after each read version. */
    loaded: () => void;
};

/** The input of a page. */
type PageContext = {
    session: Session;
    workspace: Workspace;
    project: string;
    query: URLSearchParams;
    /** Workspaces of other projects whose publish ended after they were left. */
    endedElsewhere: Workspace[];
    readonly details: Project;
    redraw: () => void;
    reloadProjects: () => Promise<void>;
};

type Page = {
    path: string;
    title: string;
    /** Lowest role that can use the page; missing if all can. */
    role?: string;
    /** Path of the page in the navigation to which it belongs. */
    group?: string;
    load: () => Promise<PageModule>;
};

type PageModule = {
    /** Renders the page; the returned function stops it. */
    show: (main: HTMLElement, context: PageContext) => (() => void) | void;
};

/** Entry of the command palette. */
type PaletteEntry = {
    /** Identifies the entry among the recent choices. */
    id: string;
    kind: string;
    title: string;
    /** Text behind the title, which is found as well. */
    detail?: string;
    /** Further words by which the entry is found. */
    words?: string;
    /** Why the entry cannot be chosen now. */
    refusal?: string | null;
    /** Does it; may return entries for a second choice. */
    run: () => unknown;
};

/** Value with its display name. */
type Choice = [value: string, text: string];

/** Attributes, properties and listeners of an element; others are those of HTML. */
type Attributes = {
    onclick?: (event: MouseEvent) => void;
    oninput?: (event: InputEvent) => void;
    onkeydown?: ((event: KeyboardEvent) => void) | false;
    onsubmit?: (event: SubmitEvent) => void;
    onpointerdown?: (event: PointerEvent) => void;
    onpointermove?: (event: PointerEvent) => void;
    ontoggle?: (event: ToggleEvent) => void;
    oncancel?: (event: Event) => void;
    [name: string]: unknown;
};

/** Rule of an expression; one that forms do not show has its text. */
type ConditionRule = {
    kind: 'rule';
    element: string;
    key: string | null;
    comparison: string;
    values: string[];
    text?: string;
};

type ConditionTree = ConditionRule | {kind: 'constant', value: boolean}
    | {kind: 'not' | 'all' | 'any', operands: ConditionTree[]};

/** Rule of an expression in the form. */
type RuleView = ConditionRule & {isNegated?: boolean, isEmptyMeant?: boolean, operands?: undefined,
    /** Text of another value that is not added yet. */
    typed?: string,
    /** True for a percentage that waits for the seed of a name. */
    lacksSeed?: boolean};

/** Group of rules in the form. */
type GroupView = {
    kind: 'all' | 'any';
    isNegated?: boolean;
    operands: ConditionView[];
};

type ConditionView = RuleView | GroupView;

/**
 * Setting to copy, or of an unfinished form: with the setting as it was when that form opened, and
 * the text in the choice of another condition.
 */
type KeptSetting = {key: string, parameter: Parameter, before?: Parameter, condition?: string};

/** Condition of an unfinished form, with its rules if they were shown. */
type KeptCondition = Condition & {rules?: GroupView | null};

/** Change of a pin: what is reported, and the `data-focus` of the control that is focused then. */
type PinChange = {text: string, focus: string};

/** Reads the value of a setting that a user gets now, and why; undefined if it is not known. */
type ReasonOf = (section: string, key: string) => Promise<Reason | undefined>;

/** Signals by name. */
type SignalValues = Record<string, string>;

type KnownSignals = {
    keys: Set<string>;
    values(element: string, key?: string | null): string[];
};

/** Why a setting has its value for a user. */
type Reason = {
    source: 'OVERRIDE' | 'CONDITION' | 'DEFAULT' | 'ARCHIVED';
    condition?: string;
    falseConditions?: string[];
    unevaluatedConditions?: string[];
    value?: unknown;
};

type ConditionResult = {
    name: string;
    result: boolean;
    failedRule?: string;
    reason?: string;
    percentiles?: {seed: string, percentile: string}[];
};

/** A user in the answer of a preview. */
type PreviewedUser = {
    userID: string | null;
    settings?: Record<string, Record<string, Reason>>;
    conditions?: ConditionResult[];
    changes?: Record<string, string[]>;
    current?: ConfigurationDocument;
    proposed?: ConfigurationDocument;
    missingSignals?: string[];
    connectedSignals?: SignalValues[];
    /** The common signals of the user's last request, while no app is connected. */
    recentSignals?: SignalValues;
    /** Whether the values that were pinned at an earlier time are known; only with `at`. */
    pins?: 'known' | 'unknown';
    pinsReason?: string;
};

type ConfigurationDocument = {
    config_sections?: Record<string, {settings?: Record<string, {value?: unknown}>}>;
};

/** User for whom a preview is asked. */
type PreviewUser = {userID: string | null, signals: SignalValues};

type ReachValue = {
    section: string;
    key: string;
    condition?: string;
    matching: number | string;
    reached: number | string;
    takenBy?: Record<string, number>;
    shadow?: string;
};

/** Answer of a preview. */
type Preview = {
    versionNumber?: string;
    /** The earlier time of the preview, and the version of then. */
    at?: string;
    version?: Version;
    users: PreviewedUser[];
    connected?: ConnectedPreview;
    estimate?: {evaluated: number, changed: number};
    reach?: {users: number | string, values: ReachValue[], isComplete: boolean};
    doubts?: {condition: string, rule: string, message: string}[];
};

type ConnectedPreview = {
    evaluated: number;
    changed: number;
    isComplete: boolean;
    users?: (string | null)[];
};

/** Preview of a draft, and whether it was merged with a newer version. */
type DraftPreview = Preview & {isMerged: boolean, conflictCount: number};

/** Values pinned for a user, by section and key. */
type Overrides = Record<string, Record<string, unknown>>;

/** Form that is kept until it is closed. */
type KeptForm = {
    /** Path of the page on which it was open. */
    page: string;
    user: string;
    project: string;
    kind: string;
    arguments: unknown[];
    content: unknown;
};

/** Form of a dialog, whose content is asked for when it is kept. */
type DialogForm = Omit<KeptForm, 'content' | 'page'> & {content: () => unknown};

/** What a dialog shows; `isBusy` is called before it is left, and keeps it open if true. */
type DialogContent = {body: unknown, actions: unknown, isBusy?: () => boolean};

type Suggestions = import('../../Sources/Console/Pages/conditions/suggestions.js').Suggestions;

/** Form with controls for signals. */
type SignalForm = {suggestions: Suggestions, write: () => void};

type ConditionBuilder = import('../../Sources/Console/Pages/conditions/condition-builder.js').ConditionBuilder;

/** Condition that a file and the project have with different expressions. */
type Contradiction = {name: string, own?: string, given?: string, users: string[]};

/** State of a check during typing. */
type ValidationReport = {
    state: 'checking' | 'done' | 'unknown';
    problems: Problem[];
    message?: string;
};

type PatchOptions = {isOrdered: boolean};

/** Part of a line, marked if it differs. */
type LinePart = {text: string, isMarked: boolean};

type LineRow = {kind: 'same' | 'old' | 'new', parts: LinePart[]};

/** Rows of one kind; those in the middle of many unchanged ones are folded. */
type LineBlock = {
    kind: LineRow['kind'];
    before: LineRow[];
    folded: LineRow[];
    after: LineRow[];
};

type DifferenceKind = 'setting' | 'condition' | 'group';

/** Difference in a list; the label names it among all, the name within its section. */
type ListedDifference = {kind: DifferenceKind, label: string, name: string, difference: Difference};

/** Differences of one section, or all of the conditions or sections, with the number of each kind. */
type DifferenceSection = {
    kind: DifferenceKind;
    title: string;
    items: ListedDifference[];
    counts: Record<Difference['change'], number>;
};

/** How much of a section is chosen, and how its box changes that. */
type SectionChoice = {state: () => 'all' | 'some' | 'none', set: (isChosen: boolean) => void};

/** Button beside a difference. */
type DifferenceAct = {text: string, run: () => unknown};

/** How a difference is shown. */
type DifferenceOptions = {act?: DifferenceAct, revert?: () => void, isReverted?: () => boolean, note?: () => unknown, valueType?: string,
    choose?: {verb?: string, isChosen: () => boolean, set: (isChosen: boolean) => void}};

/** Draft in the tab's storage. */
type MirroredDraft = {
    saved: SavedDraft | null;
    draft: SentDraft | null;
    unanswered?: UnansweredSave[];
    /** Number of the version that was shown. */
    version?: string;
};

/** The input of the history page's table. */
type HistoryContext = PageContext & {
    showChanges?: (versionNumber: string) => void;
    offerVersions?: (numbers: string[]) => void;
    goBack?: (versionNumber: string, reason?: string) => void;
    undoVersion?: (versionNumber: string, reason?: string) => void;
    showComparison?: () => void;
};

/** What the undo of a version would do: the resulting template, with what it changes. */
type UndoPreview = {state: 'possible', template: Template, changes: Promise<Differences>}
    | {state: 'nothing'} | {state: 'conflicts', conflicts: Conflict[]};

/**
 * What a rollback or an undo publishes, and the view of what that changes. With an `obstacle`, a
 * sentence, nothing can be published.
 */
type ReplacementEffect = {template: Template | null, view: unknown, obstacle?: string};

/** Answer that counts the connected apps. */
type Connections = {
    connections: number;
    versions?: Record<string, number>;
    unknown?: number;
    lastPublish?: PublishEffect;
    acknowledgements?: Acknowledgements;
};

/** Whom a publish changed. */
type PublishEffect = {version: string, users: number, changed: number};

type Acknowledgements = {
    clients: number;
    versions: {
        version: string;
        inForce: number;
        problems: {section?: string, key?: string, clients: number, message?: string}[];
    }[];
};

/** The part of a response that the live page shows. */
type Reading = {
    connections: number;
    versions: Record<string, number>;
    unknown: number;
    newest: string;
    arrived: number;
    acknowledgements?: Acknowledgements;
    lastPublish: PublishEffect | null;
    share: number | null;
};

/** Time that a version takes to reach all connected apps. */
type DeliveryTime = {seconds: number, isComplete: boolean};

/** The changes of both sides of a merge. */
type Conflict = {
    path: string;
    kind: string;
    section?: string;
    key?: string;
    name?: string;
    field?: string;
    condition?: string;
    /** Of the order of the conditions: what the choice decides. */
    conditions?: string[];
    settings?: {section: string, key: string}[];
    base?: unknown;
    mine?: unknown;
    theirs?: unknown;
    changedBy?: Version;
    /** Side that the server takes: of a promotion, for what differs on purpose. */
    resolution?: string;
};

/** Value of a setting, as `Section.key`, for a condition that a merge may remove. */
type DependentValue = {setting: string, condition: string, value: ParameterValue};

/** Conflict with the values that are lost if its condition is removed. */
type MergeItem = {conflict: Conflict, dependents: DependentValue[]};

/** Answer of a merge with the draft that was merged. */
type DraftMerge = {
    mine: Template;
    template: Template;
    versionNumber: string;
    etag: string;
    conflicts: Conflict[];
    problems?: Problem[];
    changes: {mine: Differences, theirs: Differences};
};

/** The approvals that a publish in a project needs; 0 for none. */
type Protection = {
    requiredApprovals: number;
    /** True if those who made a change request may approve it. */
    selfApproval: boolean;
    rollbackWithoutApproval: boolean;
};

/** Someone who acts on a change request: the token, and the person who uses it or created it. */
type Participant = {actor: string, person?: string, creator?: string};

type RequestVote = {
    person: string;
    actor: string;
    verdict: 'approve' | 'requestChanges';
    comment?: string;
    /** The version that was current for the voter. */
    liveVersionNumber: string;
    time: string;
    /** True if the approval does not count any more. */
    outdated?: boolean;
};

type RequestComment = Participant & {text: string, path?: string, time: string};

/** What came, or will come, of a time of a schedule. */
type ScheduleOutcome = {state: string, reason?: string, versionNumber?: string, kept?: string[]};

/** When the server publishes a change request by itself. */
type Schedule = ScheduleOutcome & {
    /** As sent; `time` and `untilTime` are in UTC. */
    at: string;
    time: string;
    until?: string;
    untilTime?: string;
    zone?: string;
    /** ID of the request that has to be published before. */
    after?: string;
    scheduler?: Participant;
    late?: boolean;
    end?: ScheduleOutcome;
    /** What will come of a start that waits if nothing changes. */
    outlook?: string;
    /** Why nothing will be published, or what it waits for, as a sentence. */
    outlookReason?: string;
    rollout?: Rollout;
};

/** A percentage of a rollout: planned, or published if it has a version. */
type RolloutStep = {
    percent: number;
    /** In UTC. */
    time: string;
    versionNumber?: string;
    /** True for a percentage to which a later one was taken back. */
    isTakenBack?: boolean;
};

/** What apps report about a rollout. */
type RolloutCheck = {
    clients: number;
    withProblems: number;
    reached: number;
    problemPercent?: number;
    result: string;
    text: string;
};

/** What is rolled out, as it is sent. */
type RolloutPlan = {
    condition: string;
    percents: number[];
    intervalMinutes: number;
    maximumProblemPercent?: number;
    /** Of open streams that may vanish; only the API sets it. */
    maximumLostStreamPercent?: number;
    minimumClients?: number;
    onProblems?: 'hold' | 'takeBack';
};

/** The steps after the start of a schedule, which raise the percentage of a condition. */
type Rollout = RolloutPlan & {
    state: string;
    /** The percentage that is live by the rollout. */
    percent?: number;
    nextPercent?: number;
    /** In UTC. */
    nextTime?: string;
    /** Why it was held or stopped. */
    reason?: string;
    /** The version that took back all of it. */
    takenBackVersionNumber?: string;
    /** Those that were published, and while it waits or runs, those that are planned. */
    steps: RolloutStep[];
    /** Only of one rollout, while it is running or held. */
    check?: RolloutCheck;
    /** Only of one rollout, before its start. */
    reportsBefore?: {clients: number, withProblems: number, text: string};
};

/** A rollout with its start, as it is sent; without a time, it starts now. */
type SentRollout = RolloutPlan & {at?: string, zone?: string};

/** The times of a schedule, as they are sent. */
type ScheduleTimes = {at: string, until: string | null, zone: string};

/** Change request; in a list without comments and what it changes. */
type ChangeRequest = {
    id: string;
    etag: string;
    state: string;
    title: string;
    text?: string;
    author: Participant;
    editors: Participant[];
    baseVersionNumber: string;
    creationTime: string;
    updateTime: string;
    requiredApprovals?: number;
    missingApprovals?: number;
    votes: RequestVote[];
    comments?: RequestComment[];
    ending?: Participant & {versionNumber?: string, bypassReason?: string, time: string};
    /** What it changes in its base. */
    changes?: Differences;
    /** What a publish would change now; missing with conflicts and after the end. */
    liveChanges?: Differences;
    liveVersionNumber?: string;
    conflicts?: Conflict[];
    problems?: Problem[];
    /** Number of conflicts that are not listed. */
    omittedConflicts?: number;
    /** Missing until it is scheduled. */
    schedule?: Schedule;
};

/** Response of `remoteConfig:compare`: `old` is this project's side, `new` the other one's. */
type Comparison = Differences & {
    with: string;
    withVersionNumber: string;
    withETag: string;
    versionNumber: string;
    etag: string;
    affectedSettings: {section: string, key: string}[];
    /** What differs on purpose, each with its mark; missing if the server does not know marks. */
    intended?: {conditions: Difference[], parameters: Difference[]};
};

/** What `remoteConfig:promote` copies: settings, and sections with all of their settings. */
type PromotionRequest = {
    /** True to remove what only this project has of them. */
    deletions: boolean;
    sections: string[];
    settings: {section: string, key: string}[];
};

/** Response of `remoteConfig:promote`. */
type Promotion = {
    from: string;
    template: Template;
    versionNumber: string;
    conflicts: Conflict[];
    conditions: {added: string[], reused: string[], different: string[], omitted: string[]};
    omittedValues: {section: string, key: string, condition: string}[];
    affectedSettings: {section: string, key: string}[];
    changes: Differences;
    problems: Problem[];
    /** What was not copied since it differs on purpose. */
    intended?: {section?: string, key?: string, condition?: string}[];
    /** Rules of copied conditions that probably no client satisfies. */
    doubts?: {condition: string, rule: string, message: string}[];
};

/**
 * Draft of an imported file. `base` is the version with which it began, null if it is not one of the
 * project; `over` is the version with which `template` is merged, null if it is not merged.
 */
type ImportedDraft = {
    base: string | null;
    description: string;
    template: Template;
    over: {versionNumber: string, etag: string, baseTemplate: Template} | null;
    conflicts: Conflict[];
    problems: Problem[];
};

/** Draft as the review shows it. */
type Review = {
    template: Template;
    base: string;
    baseTemplate: Template;
    choice: import('../../Sources/Console/Pages/review/change-choice.js').ChangeChoice;
    /** The draft with the changes that are chosen. */
    chosen: Draft;
    /** Chosen template as the server would store it; null until it was checked. */
    normalized: Template | null;
    checking: Promise<void>;
};

/** The outcome of a publish. */
type PublishOutcome = {
    outcome: string;
    version?: Version;
    /** The current version, where it is not the published one. */
    newest?: Version;
    problems?: Problem[];
    message?: string;
    /** Number of approvals that are missing in a protected project. */
    missing?: number;
};

/** How long a question is repeated. */
type DoubtOptions = {signal: AbortSignal,
    onDoubt: (attempt: number, isUnsettled?: boolean) => unknown};

/** Block of rows of a windowed list. */
type RowBlock<Item> = {
    node: HTMLElement;
    items: Item[];
    start: number;
    count: number;
    rows: Map<string, HTMLElement>;
    isStale: boolean;
};

/** Search in a long table: its text, and the number of rows that are shown, by default the first. */
type RowSearch = {text: string, shown?: number, changed?: () => void};

/** List in which rows are dragged: its element, and what keeps the row around an element in it. */
type DragPlace = {node: HTMLElement, hold: (inner: HTMLElement | null) => void};

/** Kind of a part of JSON text; empty for white space, commas and colons. */
type JSONToken = '' | 'name' | 'string' | 'number' | 'word' | 'bracket' | 'invalid';

/** Replacement of the text between two indices, and the selection after it. */
type TextEdit = {from: number, to: number, text: string, start: number, end: number};

/** Control for the text of a value. */
type TextControl = {
    input: HTMLInputElement | HTMLTextAreaElement;
    node: HTMLElement;
};

type ValueField = {
    node: HTMLElement;
    value: () => ParameterValue | undefined;
    setType: (type: string) => void;
    /** Returns the problems that wait until the field is left, or `send`. */
    showProblems: (problems: Problem[]) => Problem[];
    /** Called when the form is sent. */
    send: () => void;
    focus: () => void;
};

type MenuItem = [text: string, act: () => unknown, kind?: string];

type Token = {
    id: string;
    name: string;
    role: string;
    /** Roles by project of a token that is limited to projects. */
    projects?: Record<string, string>;
    /** The person to whom it belongs. */
    owner?: string;
    /** True if it may publish without approvals. */
    bypass?: boolean;
    token?: string;
    creationTime: string;
    expirationTime?: string;
    revocationTime?: string;
    lastUseTime?: string;
};

type Webhook = {
    id: string;
    url: string;
    secret?: string;
    creationTime: string;
    /** Missing from an earlier server. */
    events?: string[];
    lastDelivery?: WebhookDelivery;
};

type WebhookDelivery = {
    versionNumber?: string;
    changeRequest?: string;
    step?: string;
    state: string;
    attempts: number;
    statusCode?: number;
    error?: string;
    nextAttemptTime?: string;
    creationTime: string;
};

type PinnedSetting = {section: string, key: string};

/** Setting of a user by the current version and by the draft. */
type SettingComparison = {section: string, key: string, now?: Reason, draft?: Reason};

/** The filter of a user's settings and conditions. */
type UserFilter = RowSearch & {isDifferentOnly: boolean, conditions: RowSearch};

/** Field for the time of a preview of the past. */
type PastTimeField = {
    /** The time in UTC; null for now. */
    time: () => string | null;
    text: () => string;
    node: HTMLElement;
};

/** Fields for the signals of a user. */
type SignalFields = {
    /** The complete signals by name. */
    values: () => SignalValues;
    /** All that was entered, also names without a value and a value without a name. */
    entered: () => SignalValues;
    /** Shows the problems of incomplete signals and focuses the first; true if there are none. */
    check: () => boolean;
    node: HTMLElement[];
};

/** Form of one named user; the fields are null until it is opened. */
type UserForm = {
    node: HTMLDetailsElement;
    note: HTMLElement;
    fields: SignalFields | null;
};

/** Share of the known clients with the newest version. */
type ClientShare = {version: string, clients: number, current: number};

/** Share of a day in UTC. */
type DayShare = ClientShare & {date: string};

/** Receiver of templates, and its last delivery. */
type UsedApp = {
    kind: string;
    id?: string;
    version?: string;
    delivered: string;
    templateVersion: string;
};

/** Use of a setting. */
type SettingUse = {
    section: string;
    key: string;
    use: string;
    delivered: string | null;
    read: string;
    sameForEverybodySince?: {version: string, date: string, atLeast?: boolean};
    permanentReason?: string;
    stale?: {reason: string, text: string};
};

/** Response about the use of a project. */
type Usage = {
    settings: SettingUse[];
    apps: UsedApp[];
    now?: ClientShare;
    shares: DayShare[];
    unknownNames: {name: string, date: string}[];
    staleCount: number;
    thresholds: {unusedDays: number, sameDays: number};
};
