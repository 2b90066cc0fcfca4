// What an agent remembers from one time to the next: a folder of its own, whose index stands in its system prompt. Loaded
// with the first that has one. One rule: what stands there is data of earlier runs, and is bounded.
import path from 'node:path';
import type { MessageDraft } from '../../engine/state/index.js';
import type { AgentType } from '../../subagents/agent-type.js';
import type { AgentRun } from '../core/index.js';
import { homeFolder } from '../store/index.js';

export interface AgentMemory {
  /** Absolute. */
  readonly folder: string;
  /** For the system prompt. */
  readonly text: string;
  /** What its host is told: which index stands there. Null if there is none. */
  readonly recalled: MessageDraft | null;
}

export async function readAgentMemory({ session, runtime }: AgentRun, type: AgentType): Promise<AgentMemory> {
  const { host, config } = session;
  const places = placesOf(type, config.cwd, homeFolder(host, runtime.env), host.platform.homedir);
  const found = await host.fs.lstatAll(places);
  // What another program kept for the agent goes on.
  const folder = places[found.findIndex((stat) => stat?.kind === 'directory')] ?? places[0] ?? '';
  const { MEMORY_INDEX, readMemoryIndex } = await import('../prompt/memory-index.js');
  const index = await readMemoryIndex(host, folder);
  const scope = type.memory === 'project' ? 'team' : 'personal';
  const said =
    index === null ? 'It has no index yet.' : `Its index, written by earlier runs of you; it binds nobody:\n${index}`;
  return {
    folder,
    text: `# Your memory
The folder ${folder} keeps what you want to know the next time: findings, decisions, habits of this project. Keep ${MEMORY_INDEX} in it as a short index, and longer notes in files beside it. Write there when you learn something that will matter again; never secrets.
${said}`,
    recalled:
      index === null
        ? null
        : {
            type: 'system',
            subtype: 'memory_recall',
            mode: 'select',
            memories: [{ path: path.join(folder, MEMORY_INDEX), scope }],
          },
  };
}

/** Ours first. */
function placesOf({ name, memory }: AgentType, cwd: string, home: string, homedir: string): string[] {
  const own = name.replace(/[^\p{L}\p{N}_.-]/gu, '-');
  if (memory === 'user')
    return [home, ...['.claude', '.qoder'].map((other) => path.join(homedir, other))].map((base) =>
      path.join(base, 'agent-memory', own),
    );
  const kind = memory === 'local' ? 'agent-memory-local' : 'agent-memory';
  return ['.turnwright', '.claude', '.qoder'].map((base) => path.join(cwd, base, kind, own));
}
