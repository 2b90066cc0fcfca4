// The hooks of a session as a client shows them: those of settings and plugins, and those given as code. One rule: no text
// of a hook can hide what it is.
import type { CommandHook } from '../../hooks/command-hook.js';
import type { HookListingEvent, SDKControlGetHooksListingResponse } from '../../protocol/control.js';
import { HOOK_EVENTS, type HookEvent } from '../../protocol/hooks.js';
import { pluginsOf, type Session, type SessionRuntime } from '../core/index.js';
import { visible } from '../export/index.js';

/** What each event is, and whether a matcher chooses among its firings. */
const EVENTS: Readonly<Record<HookEvent, readonly [summary: string, hasMatcher: boolean]>> = {
  PreToolUse: ['Before a tool runs', true],
  PostToolUse: ['After a tool ran', true],
  PostToolUseFailure: ['After a tool failed', true],
  Notification: ['When somebody should look', true],
  UserPromptSubmit: ['When the user sends a prompt', false],
  SessionStart: ['When a session begins', true],
  SessionEnd: ['When a session ends', true],
  Stop: ['Before the model ends its answer', false],
  StopFailure: ['When a prompt ends in an error', true],
  SubagentStart: ['When a subagent begins', true],
  SubagentStop: ['Before a subagent ends', true],
  PreCompact: ['Before the conversation is compacted', true],
  PostCompact: ['After the conversation was compacted', true],
  PermissionRequest: ['Before somebody is asked about a call', true],
  PermissionDenied: ['After a call was denied', true],
  Setup: ['When a folder is set up or kept in order', true],
  TeammateIdle: ['Before an agent in the background rests', false],
  TaskCreated: ['When a background task begins', false],
  TaskCompleted: ['When a background task ended', false],
  Elicitation: ['When a server asks the user', true],
  ElicitationResult: ['When the user answered a server', true],
  ConfigChange: ['When settings changed', true],
  WorktreeCreate: ['When a worktree is to be made', false],
  WorktreeRemove: ['When a worktree is to be removed', false],
  InstructionsLoaded: ['When an instruction file was loaded', true],
  CwdChanged: ['When the working directory changed', false],
  FileChanged: ['When a watched file changed', true],
  PostToolBatch: ['After all calls of a reply', false],
  UserPromptExpansion: ['When a slash command becomes a prompt', true],
  PreModelSwitch: ['Before another model answers', true],
  PostModelSwitch: ['After another model was chosen', true],
  DirectoryAdded: ['When a folder joins the workspace', true],
  MessageDisplay: ['When text of the model is shown', false],
};

/** Whose settings, as published clients call them, and for people. */
const SOURCES: Readonly<Record<string, readonly [name: string, label: string]>> = {
  managed: ['policySettings', 'Managed settings'],
  flag: ['flagSettings', 'Settings of this run'],
  local: ['localSettings', 'Local settings of the project'],
  project: ['projectSettings', 'Settings of the project'],
  user: ['userSettings', 'Settings of the user'],
};

const CONTENT: Readonly<Record<string, string>> = {
  command: 'Command',
  http: 'Address',
  prompt: 'Question',
  agent: 'Task',
  mcp_tool: 'Tool',
};

export function hooksListing(
  session: Session,
  { hooks: { declared } }: SessionRuntime,
): SDKControlGetHooksListingResponse {
  const { config } = session;
  const folders = new Map(pluginsOf(session).map(({ name, path }) => [path, name]));
  const inCode = Object.entries(config.hooks ?? {}).flatMap(([event, matchers]) =>
    (matchers ?? []).flatMap(({ matcher, hooks, timeout }) =>
      hooks.map((hook) => ({
        event,
        matcher: visible(matcher ?? ''),
        source: 'sessionHook',
        sourceLabel: 'Code of the host',
        type: 'callback',
        displayText: visible(hook.name === '' ? 'a function' : hook.name),
        commandText: visible(hook.name === '' ? 'a function' : hook.name),
        contentLabel: 'Function',
        ...(timeout === undefined ? {} : { timeout }),
      })),
    ),
  );
  const rows = [...declared.map((hook) => rowOf(hook, folders)), ...inCode].sort(
    (a, b) => HOOK_EVENTS.indexOf(a.event as HookEvent) - HOOK_EVENTS.indexOf(b.event as HookEvent),
  );
  const catalogue = HOOK_EVENTS.map((name): HookListingEvent => {
    const [summary, supportsMatcher] = EVENTS[name];
    return { name, summary, supportsMatcher };
  });
  const policyHooks = declared.filter(({ scope }) => scope === 'managed').length;
  return {
    events: catalogue.flatMap((event) => {
      const hookCount = rows.filter((row) => row.event === event.name).length;
      return hookCount === 0 ? [] : [{ ...event, hookCount }];
    }),
    hooks: rows,
    eventCatalog: catalogue,
    policy: {
      disabledByPolicy: false,
      managedOnly: config.onlyManagedHooks === true,
      pluginOnly: false,
      allDisabled: false,
      policyHookCount: policyHooks,
    },
  };
}

function rowOf(hook: CommandHook, folders: ReadonlyMap<string, string>) {
  const { event, matcher, scope, command, action, timeoutMs, statusMessage, isAsync, pluginFolder } = hook;
  const type = action?.type ?? 'command';
  const [source, sourceLabel] =
    pluginFolder === undefined ? (SOURCES[scope] ?? [scope, scope]) : ['pluginHook', 'A plugin'];
  const pluginName = pluginFolder === undefined ? undefined : folders.get(pluginFolder);
  const commandText = visible(command);
  return {
    event,
    matcher: visible(matcher ?? ''),
    source,
    sourceLabel,
    ...(pluginName === undefined ? {} : { pluginName }),
    type,
    displayText: (statusMessage === undefined ? commandText : visible(statusMessage)).replaceAll('\n', ' '),
    commandText,
    contentLabel: CONTENT[type] ?? type,
    timeout: timeoutMs / 1_000,
    ...(statusMessage === undefined ? {} : { statusMessage: visible(statusMessage) }),
    ...(isAsync ? { runsInBackground: true } : {}),
  };
}
