// Slash commands that show and change what a session works with. Every session lists them; what one says is
// loaded when it is called. One rule: none of them asks a model but /init and /review, which are prompts.
import type { Command } from '../../context/slash-commands.js';
import { DOORS } from '../features.js';
import type { CommandPlace } from './answer-command.js';

type Row = readonly [name: string, description: string, argumentHint?: string];

const LOCAL: readonly Row[] = [
  ['add-dir', 'Adds a folder to the workspace', '<folder>'],
  ['agents', 'Lists the agents that the model can call'],
  ['config', 'Shows settings and where each comes from', '[key]'],
  ['context', 'Shows what fills the context window'],
  ['doctor', 'Checks what this session needs'],
  ['export', 'Writes the conversation to a file, or shows it', '[file.md|file.html]'],
  [
    'goal',
    'Shows, sets or ends what the session works towards by itself',
    '[what is to be reached|pause|resume|clear]',
  ],
  ['hooks', 'Lists the commands that run at moments of a session'],
  ['mcp', 'Lists MCP servers; reconnects or switches one', '[reconnect|enable|disable <server>]'],
  ['memory', 'Lists instruction files; adds a note to one', '[add [project|local|user] <note>]'],
  ['model', 'Shows the models, or changes to one', '[model|default]'],
  ['permissions', 'Shows the mode and the rules, or changes the mode', '[mode]'],
  ['resume', 'Lists earlier sessions of this folder', '[words]'],
  ['rewind', 'Lists the prompts that the conversation can be set back to'],
  ['skills', 'Lists the skills, and why others are not there'],
  ['status', 'Shows the session, its model, its folder and its servers'],
  ['tasks', 'Lists what runs in the background; stops one', '[stop <id>]'],
];

const PROMPTS: readonly Row[] = [
  ['init', 'Writes AGENTS.md for this project, or brings it up to date', '[what it should attend to]'],
  ['review', 'Reviews the changes of this branch, or what you name', '[branch, commit, pull request or files]'],
];

/** @param taken names of commands that stand before these: a command or a skill of the user's own */
export function sessionCommands(place: CommandPlace, taken: readonly string[]): Command[] {
  const isFree = ([name]: Row) => !taken.includes(name);
  const local = LOCAL.filter(isFree).map(
    ([name, description, argumentHint]): Command => ({
      type: 'local',
      name,
      description,
      ...(argumentHint === undefined ? {} : { argumentHint }),
      run: async (args, context) => (await DOORS.commands()).answerCommand(name, args, place, context),
    }),
  );
  const prompts = PROMPTS.filter(isFree).map(
    ([name, description, argumentHint]): Command => ({
      type: 'prompt',
      name,
      description,
      ...(argumentHint === undefined ? {} : { argumentHint }),
      expand: async (args) => (await DOORS.commands()).commandPrompt(name, args),
    }),
  );
  return [...local, ...prompts];
}
