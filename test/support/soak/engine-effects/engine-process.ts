// The engine in a process that can write nothing but the fixture, and reach nothing but this machine.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { confinement } from '../shell-effects/confinement.js';
import type { Fixture } from '../shell-effects/fixture.js';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

export interface EngineCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** How calls reach the engine: by the model, a subagent, a script, in the background, or made of others by a hook. */
export const WAYS = ['direct', 'agent', 'script', 'background', 'hook'] as const;

export interface Batch {
  readonly calls: readonly EngineCall[];
  readonly mode: string;
  readonly way: (typeof WAYS)[number];
  /** Rules as settings have them. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  /** Settings keep all modes within the workspace. */
  readonly confines: boolean;
  /** Further folders of the workspace, absolute. */
  readonly folders: readonly string[];
}

export interface BatchEnd {
  readonly results: readonly { readonly isError: boolean; readonly text: string }[];
  /** Why the prompt did not come to its end; null if it did. */
  readonly fault: string | null;
}

export interface EngineProcess {
  run(batch: Batch): Promise<BatchEnd>;
  close(): void;
}

/** Needs `dist/`. */
export function openEngine(fixture: Fixture): EngineProcess {
  const program = path.join(import.meta.dirname, 'run-batches.mjs');
  const args = confinement(fixture, [ROOT]);
  const child = spawn('bwrap', [...args, process.execPath, program, path.join(ROOT, 'dist'), fixture.workspace], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(batch) {
      child.stdin.write(`${JSON.stringify(batch)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`The process of the engine ended: ${told}`);
      return JSON.parse(value) as BatchEnd;
    },
    close: () => void child.kill('SIGKILL'),
  };
}
