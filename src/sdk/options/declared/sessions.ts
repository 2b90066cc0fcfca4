// Options about which session it is, how it is kept, and which settings count.
import type { OptionDeclarations } from '../declaration.js';

export const SESSIONS = {
  resume: {
    kind: 'text',
    about: 'Id of the session to go on with.',
    flags: [{ short: 'r', optional: '[id]', reads: 'own', does: 'go on with this session; without an id: choose' }],
    inReadme: true,
    acts: 'sessions/resume-options',
  },
  continue: {
    kind: 'flag',
    about: 'True: go on with the session that was spoken in last in this folder.',
    default: 'false',
    flags: [{ short: 'c', reads: 'true', does: 'go on with the newest session of the folder' }],
    inReadme: true,
    acts: 'sessions/resume-options',
  },
  resumeSessionAt: {
    kind: 'text',
    about: 'With `resume` or `continue`: the conversation up to and including the message with this id.',
    flags: [{ takes: '<id>', reads: 'own', does: 'with --resume: from this message on' }],
    acts: 'sessions/resume-options',
  },
  resumeDropsTurn: {
    kind: 'text',
    about:
      'With `resumeSessionAt`: the id of the prompt whose turn is meant to be cut off. If anything else would go too, a message that came meanwhile for example, the session is left as it is and the prompt ends with an error that begins with `Resume rejected by --resume-drops-turn:`.',
    flags: [{ takes: '<id>', reads: 'own', does: 'with that: only if no other prompt goes than this' }],
    acts: 'sessions/resume-options',
  },
  forkSession: {
    kind: 'flag',
    about: 'With `resume` or `continue`: go on in a new session that begins as that one is; that one stays as it is.',
    default: 'false',
    flags: [{ reads: 'true', does: 'with --resume or --continue: go on in a copy' }],
    inReadme: true,
    acts: 'sessions/resume-options',
  },
  sessionId: {
    kind: 'text',
    about: 'UUID for a new session, or for a fork. There must be none of that id yet.',
    default: 'a new one',
    flags: [{ takes: '<uuid>', reads: 'own', does: 'the id of the new session, or of the copy' }],
    acts: 'sessions/resume-options',
  },
  persistSession: {
    kind: 'flag',
    about: 'False: nothing is kept on disk.',
    default: 'true',
    flags: [{ name: 'no-session-persistence', reads: 'false', does: 'keep nothing of the session on disk' }],
    inReadme: true,
    acts: 'session',
    see: 'sessions.md',
  },
  sessionStore: {
    kind: 'object',
    type: 'SessionStore',
    about:
      'Gets every entry of the transcript as well; with `persistSession: false`, alone. `resume` and `continue` find sessions in it that are not on this machine, or went on elsewhere.',
    acts: 'sessions/kept-session-options',
    see: 'sessions.md#stores-of-your-own',
  },
  sessionStoreFlush: {
    kind: 'text',
    type: 'SessionStoreFlush',
    about:
      "When entries go to the `sessionStore`. `batched`: every 100 ms or so and at each prompt's end; `eager`: each entry as it comes.",
    default: '`batched`',
    acts: 'sessions/kept-session-options',
  },
  loadTimeoutMs: {
    kind: 'number',
    about: 'Milliseconds that a `sessionStore` has for each call when a session is resumed from it.',
    default: '60,000',
    acts: 'sessions/resume-stored',
  },
  title: {
    kind: 'text',
    about: 'Title of a new session. A resumed session keeps its own.',
    acts: 'sessions/kept-session-options',
    see: 'sessions.md#titles',
  },
  titles: {
    kind: 'text',
    type: "'prompt' | 'model'",
    about: 'Who gives a new session a title: its first prompt, or the model, by one small request more.',
    default: '`prompt`',
    acts: 'sessions/kept-session-options',
    see: 'sessions.md#titles',
  },
  cleanupPeriodDays: {
    kind: 'number',
    about: 'Sessions that were not written for so many days are deleted, at most once a day.',
    default: 'none is',
    setting: 'cleanupPeriodDays',
    inSettings: { counts: 'plain', takes: { type: 'number', minimum: 1 } },
    acts: 'sessions/kept-session-options',
    see: 'sessions.md#deleting-and-keeping',
  },
  enableFileCheckpointing: {
    kind: ['flag', 'text'],
    type: "boolean | 'auto'",
    about:
      "True: the files of a session can be set back, by `rewindFiles`. `'auto'`: as the settings say, else if somebody is asked about calls or edits run unasked.",
    default: 'false',
    setting: 'enableFileCheckpointing',
    inSettings: {
      counts: 'own',
      why: 'auto asks the settings first, and an unkept session has none',
      takes: { type: 'boolean' },
      about: 'Whether files can be set back to what they were before a prompt. Counts from the next session on.',
    },
    flags: [
      { reads: 'true', does: 'keep copies of changed files, for rewind' },
      { name: 'no-file-checkpointing', reads: 'false', does: 'keep none' },
    ],
    acts: 'resolve-options',
    see: 'checkpoints.md',
  },
  settings: {
    kind: ['path', 'object'],
    type: 'string | Settings',
    about: 'Settings as an object, as JSON, or the path of a file. They beat those of files; managed ones beat them.',
    flags: [{ takes: '<file or json>', reads: 'text', does: 'settings of this run, over those of files' }],
    acts: 'settings/with-settings',
    see: 'settings.md',
  },
  settingSources: {
    kind: 'texts',
    type: 'SettingSource[]',
    about: 'Whose settings files are read; `[]` for none. Naming `project` or `local` vouches for the folder.',
    default: 'all, and of a folder that nobody vouches for only what denies or asks, and its instruction files',
    flags: [
      { takes: '<list>', reads: 'own', does: 'whose settings files: user, project, local; or none' },
      { name: 'trust', reads: 'own', does: 'settings, hooks and skills of the folder act' },
    ],
    inReadme: true,
    acts: 'settings/with-settings',
    see: 'settings.md',
  },
  trustFolder: {
    kind: 'flag',
    about:
      'True: you vouch for the folder, so that its settings, hooks, servers and skills act. False: naming its settings in `settingSources` reads them and vouches for nothing.',
    default: 'what `settingSources` says',
    own: true,
    acts: 'settings/with-settings',
    see: 'settings.md',
  },
  managedSettings: {
    kind: 'object',
    type: 'Settings',
    about: 'Settings that nothing below may weaken: not options, not files.',
    flags: [{ takes: '<json>', reads: 'own', does: 'settings that nothing may weaken' }],
    acts: 'settings/with-settings',
    see: 'settings.md',
  },
  projectConfigRoot: {
    kind: 'path',
    about:
      'The trusted checkout that `cwd` is a worktree of: settings, MCP servers and skills of the project are read there, not in `cwd`. An absolute path.',
    default: '`cwd`',
    flags: [{ takes: '<folder>', reads: 'text', does: 'settings of the project are read there' }],
    acts: 'settings/with-settings',
  },
} as const satisfies OptionDeclarations;
