// Options about what may run, and who is asked.
import { ALL_TEXTS, COUNT, TEXT, TEXTS, YES_NO } from '../../../context/settings/index.js';
import { PERMISSION_MODES } from '../../../protocol/permissions.js';
import type { OptionDeclarations } from '../declaration.js';

export const PERMISSIONS = {
  permissionMode: {
    kind: 'text',
    type: 'PermissionMode',
    about: 'What runs without a question.',
    default: '`default`',
    setting: 'permissions.defaultMode',
    inSettings: {
      counts: 'own',
      why: 'one that cannot be had is told, and the option counts',
      takes: { enum: PERMISSION_MODES },
      about: 'The permission mode a session begins with, if no option names one.',
    },
    flags: [
      {
        takes: '<mode>',
        reads: 'own',
        does: 'what runs unasked: default, acceptEdits, plan, dontAsk, auto, bypassPermissions',
      },
    ],
    inReadme: true,
    acts: 'settings/permission-context',
    see: 'permissions.md',
  },
  allowDangerouslySkipPermissions: {
    kind: 'flag',
    about: 'True: the mode `bypassPermissions` may be chosen, in which everything runs unasked.',
    default: 'false',
    flags: [
      { reads: 'true', does: 'permit --permission-mode bypassPermissions' },
      { name: 'dangerously-skip-permissions', reads: 'own', does: 'run every tool unasked' },
    ],
    acts: 'session',
  },
  allowedTools: {
    kind: 'texts',
    about: 'Pre-approved tools, or rules about parts of their calls. Approves, never restricts: see `tools`.',
    setting: 'permissions.allow',
    inSettings: {
      counts: 'own',
      why: 'a rule counts by the file that it stands in',
      about: 'Runs unasked. A rule of `deny` or `ask` beats it, whatever file that stands in.',
    },
    flags: [
      {
        takes: '<list>',
        reads: 'list',
        does: 'tools or rules that run unasked: Read,"Bash(npm test)"',
        shown: 'allowedTools',
      },
    ],
    inReadme: true,
    acts: 'settings/permission-context',
    see: 'permissions.md',
  },
  disallowedTools: {
    kind: 'texts',
    about: 'Refused tools, or rules about parts of their calls. Beats every mode and every approval.',
    setting: 'permissions.deny',
    inSettings: { counts: 'own', why: 'a rule counts by the file that it stands in', about: 'Never runs.' },
    flags: [{ takes: '<list>', reads: 'list', does: 'tools or rules that never run', shown: 'disallowedTools' }],
    acts: 'settings/permission-context',
    see: 'permissions.md',
  },
  canUseTool: {
    kind: 'function',
    type: 'CanUseTool',
    about: 'Asked about each call that neither rules nor the mode decide.',
    default: 'such calls are denied',
    inReadme: true,
    acts: 'resolve-options',
    see: 'permissions.md',
  },
  permissionPromptToolName: {
    kind: 'text',
    about: 'The tool, of an MCP server for example, that is asked in place of `canUseTool`; the model cannot call it.',
    flags: [
      {
        name: 'permission-prompt-tool',
        takes: '<tool>',
        reads: 'own',
        does: 'this tool is asked about calls; stdio: the program',
      },
    ],
    acts: 'session',
  },
  deferPermissions: {
    kind: 'flag',
    about:
      'True: a call that would have to be asked about, with nobody to ask, waits. The prompt ends with `terminal_reason` `tool_deferred`, and `resume` with `decisions` goes on. False: such a call is denied.',
    default: 'false',
    flags: [{ reads: 'true', does: 'calls that need a yes wait; the run ends with code 3' }],
    acts: 'session',
    see: 'loop.md#calls-that-wait-for-a-decision',
  },
  deferredExpiryMs: {
    kind: 'number',
    about: 'How long a deferred call waits for a decision, milliseconds; then it is denied.',
    default: 'for ever',
    value: 'count',
    setting: 'permissions.deferredExpiryMs',
    inSettings: { counts: 'ceiling' },
    acts: 'session',
  },
  decisions: {
    kind: 'objects',
    type: 'readonly DeferredDecision[]',
    about:
      'With `resume` or `continue`: decisions about calls that wait, before any prompt. With them `prompt` may be empty.',
    flags: [
      { name: 'allow-call', takes: '<id>', reads: 'own', does: 'with --resume: run a call that waits' },
      { name: 'deny-call', takes: '<id>', reads: 'own', does: 'with --resume: refuse a call that waits' },
    ],
    acts: 'query',
    see: 'loop.md#calls-that-wait-for-a-decision',
  },
  autoMode: {
    kind: 'object',
    type: 'AutoModeOptions',
    about: 'A model that judges, in mode `auto`, what the rules leave undecided.',
    default: 'nobody does, such calls are asked about',
    setting: 'permissions.autoMode',
    inSettings: {
      counts: 'plain',
      takes: {
        type: 'object',
        'x-merge': 'replace',
        properties: {
          judge: { ...TEXT, description: 'The model.' },
          timeoutMs: {
            type: 'integer',
            minimum: 1,
            description: 'How long it may take, milliseconds. Default 30,000.',
          },
        },
        required: ['judge'],
      },
      about: 'A model that judges, in mode `auto`, what the rules leave undecided. A project does not name one.',
    },
    flags: [
      { name: 'judge', takes: '<model>', reads: 'own', does: 'mode auto, in which this model decides about calls' },
    ],
    acts: 'session',
    see: 'permissions.md#a-model-that-judges',
  },
  untrustedContent: {
    kind: 'object',
    type: 'UntrustedContentOptions',
    about:
      'What may follow from pages, answers of servers, files of others and messages of commits: whether a call that could carry something out of the workspace is asked about or denied from then on.',
    default: 'such calls are decided as any other',
    setting: 'permissions.untrustedContent',
    inSettings: {
      counts: 'plain',
      takes: {
        type: 'object',
        'x-merge': 'replace',
        properties: {
          policy: {
            enum: ['ask', 'deny', 'tell'],
            'x-unclear': 'ask',
            description:
              'What becomes of calls that could carry something out of the workspace: asked about, denied, or decided as always and told of.',
          },
          files: {
            enum: ['untrusted', 'outside', 'all'],
            description:
              'Which files count. `untrusted`, the default: those outside the workspace, and all of a folder that nobody vouches for.',
          },
          allow: { ...TEXTS, description: 'Rules: calls that are decided as always.' },
          deny: { ...TEXTS, description: 'Rules: calls that do not run.' },
          trust: { ...TEXTS, description: 'Rules: what such calls bring in is trusted.' },
          distrust: { ...TEXTS, description: 'Rules: what such calls bring in is not.' },
        },
        required: ['policy'],
      },
      about:
        'What may follow once the conversation holds pages, answers of servers, files of others or messages of commits. A project does not say so.',
    },
    acts: 'session',
    see: 'provenance.md',
  },
  sandbox: {
    kind: 'object',
    type: 'SandboxSettings',
    about: 'What commands may touch and reach.',
    default: 'they run as they are',
    setting: 'sandbox',
    inSettings: {
      counts: 'own',
      why: 'leaf by leaf, and nothing loosens what is managed',
      takes: {
        type: 'object',
        properties: {
          // What confines, or holds others to it, must not be lost by a letter.
          enabled: { ...YES_NO, 'x-unclear': true },
          autoAllowBashIfSandboxed: { ...YES_NO, 'x-unclear': false },
          excludedCommands: ALL_TEXTS,
          allowUnsandboxedCommands: { ...YES_NO, 'x-unclear': false },
          network: {
            type: 'object',
            properties: {
              allowLocalBinding: YES_NO,
              allowUnixSockets: ALL_TEXTS,
              allowAllUnixSockets: YES_NO,
              httpProxyPort: COUNT,
              socksProxyPort: COUNT,
              allowedDomains: ALL_TEXTS,
              deniedDomains: ALL_TEXTS,
              allowManagedDomainsOnly: { ...YES_NO, 'x-unclear': true },
            },
          },
          filesystem: {
            type: 'object',
            properties: {
              allowWrite: ALL_TEXTS,
              denyWrite: ALL_TEXTS,
              denyRead: ALL_TEXTS,
              allowRead: ALL_TEXTS,
              allowManagedReadPathsOnly: { ...YES_NO, 'x-unclear': true },
            },
          },
          ignoreViolations: { type: 'object', properties: { file: ALL_TEXTS, network: ALL_TEXTS } },
          enableWeakerNestedSandbox: YES_NO,
        },
      },
      about: 'The sandbox for commands.',
    },
    flags: [{ reads: 'own', does: 'confine what commands can reach' }],
    inReadme: true,
    acts: 'sandbox/sandbox-option',
    see: 'sandbox.md',
  },
  redactSecrets: {
    kind: 'flag',
    about: 'False: keys and passwords are left in what the model reads and in what is written.',
    default: 'true',
    acts: 'session',
    see: 'sessions.md#secrets',
  },
  permissionPrompts: {
    kind: 'text',
    type: "'host' | 'none'",
    about:
      'Who is asked about calls that rules and mode leave undecided. `none`: nobody, they are denied, even if there is a `canUseTool`.',
    default: '`host`',
    flags: [{ takes: '<who>', reads: 'own', does: 'who is asked about calls: host, none' }],
    acts: 'resolve-options',
  },
  planMode: {
    kind: 'flag',
    about: 'True: the session begins in mode `plan`, and comes to `permissionMode` when that ends.',
    default: 'false',
    acts: 'settings/permission-context',
  },
  onUserDialog: {
    kind: 'function',
    type: 'OnUserDialog',
    about:
      'Shows a dialog of a kind that `supportedDialogKinds` names. There is one: `turnwright_refusal_fallback`, whether a model of the fallback chain is asked after another declined to answer.',
    acts: 'session',
    see: 'loop.md#asking-before-a-fallback',
  },
  supportedDialogKinds: {
    kind: 'texts',
    about: 'The dialogs that `onUserDialog` can show. Others are not asked for.',
    acts: 'session',
    idle: 'noDialog',
  },
  securityScan: {
    kind: 'object',
    type: 'SecurityScanOptions',
    about: 'Looks for faults of security in what was edited, as another SDK has them.',
    idle: 'always',
  },
} as const satisfies OptionDeclarations;
