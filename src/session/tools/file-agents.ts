// The agents of files, as kinds of agents: those that a stronger definition hides, and those that cannot be used, are told.
// Loaded if there are some.
import { ConfigError } from '../../protocol/errors.js';
import type { AgentType } from '../../subagents/agent-type.js';
import {
  type AgentTypes,
  type DefinitionRules,
  type NamedDefinition,
  readFileAgent,
} from '../../subagents/definition.js';
import { count } from '../../util/text.js';
import type { AgentFiles, PendingNotice } from '../config/index.js';

export interface RefusedFile {
  readonly file: string;
  readonly why: string;
}

/** Those of files that can be used, the weakest first, and why the others cannot. */
export function usableAgents(
  { agents }: Pick<AgentFiles, 'agents'>,
  rules: DefinitionRules,
): { readonly agents: readonly AgentType[]; readonly refused: readonly RefusedFile[] } {
  const refused: RefusedFile[] = [];
  const usable = agents.toReversed().flatMap(({ definition, scope, file }): readonly AgentType[] => {
    try {
      return [readFileAgent(definition as NamedDefinition, { scope, file }, rules)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      refused.push({ file, why: error.message.replace(/\.$/, '') });
      return [];
    }
  });
  return { agents: usable, refused };
}

/** @param given those of the host, which are stronger */
export function fileAgents(files: AgentFiles, rules: DefinitionRules, given: readonly AgentType[]): AgentTypes {
  const { agents, refused } = usableAgents(files, rules);
  const hidden = agents.filter(({ name }) => given.some((other) => other.name === name));
  return { agents, notices: [...fileNotices(files, refused), ...hiddenNotice(hidden)] };
}

const SHOWN = 12;
const HOW_TO_TRUST =
  'Look at them, then name project in settingSources, run with --trust, or start turnwright in that folder and answer its question.';

function fileNotices({ agents, refused, root }: AgentFiles, unusable: readonly RefusedFile[]): PendingNotice[] {
  const untrusted = refused.filter(({ item }) => item !== null);
  const lost = [...refused.filter(({ item, isNote }) => item === null && !isNote), ...unusable];
  const idle = agents.flatMap(({ file, idle: phrases }) => phrases.map((phrase) => `${file}: ${phrase}`));
  return [
    ...told(
      untrusted.map(({ name }) => name),
      (names) => ({
        code: 'folder_not_trusted',
        message: `Nobody vouches for ${root}, so these agents of it are not there: ${names}.`,
        remedy: HOW_TO_TRUST,
      }),
    ),
    ...told(
      lost.map(({ file, why }) => `${file}: ${why}`),
      (each) => ({
        code: 'agent_refused',
        message: `${count(lost.length, 'agent')} cannot be used. ${each}.`,
        remedy: 'Correct what is said, or move the file away. "turnwright agents list" shows all.',
      }),
    ),
    ...told(idle, (each) => ({
      code: 'agent_problem',
      level: 'info',
      message: `What files of agents say without effect: ${each}.`,
    })),
  ];
}

function hiddenNotice(hidden: readonly AgentType[]): PendingNotice[] {
  return told(
    hidden.map(({ name, source }) => `${name} (${source.file ?? ''})`),
    (names) => ({
      code: 'agent_problem',
      level: 'info',
      message: `Agents given as an option take the place of files of the same name: ${names}.`,
    }),
  );
}

function told(items: readonly string[], notice: (listed: string) => PendingNotice): PendingNotice[] {
  if (items.length === 0) return [];
  const shown = items.slice(0, SHOWN).join('; ');
  return [notice(items.length <= SHOWN ? shown : `${shown}; and ${items.length - SHOWN} more`)];
}
