// A session whose files can be set back: a folder, its store beside it, and prompts that are lists of calls.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { QueryEngine } from '../../src/session/query-engine.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn, projectFolder } from '../../src/session/store/session-places.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { bashTool } from '../../src/tools/bash.js';
import { editTool, readTool, writeTool } from '../../src/tools/files.js';
import { notebookEditTool } from '../../src/tools/notebook-edit.js';
import { lastingHost } from './lasting-host.js';
import { plainConfig } from './plain-config.js';
import { everythingSeen } from './seen-file.js';

export type Call = readonly [tool: string, input: Record<string, unknown>];

export interface RewindSession {
  readonly folder: string;
  readonly home: string;
  readonly id: string;
  readonly engine: QueryEngine;
  /** Runs one prompt with these calls, one reply each, and gives all its messages. */
  prompt(uuid: string, ...calls: readonly Call[]): Promise<SDKMessage[]>;
  /** The same with a call that is decided on once those before it are over; null ends the prompt. */
  promptWith(uuid: string, next: () => Call | null): Promise<SDKMessage[]>;
  /** Ends the process, as far as the session can tell, and goes on with it in another. */
  restart(overrides?: Partial<QueryEngineConfig>): Promise<RewindSession>;
  /** Of the checkpoints. */
  storeFolder(): string;
}

export interface SessionOptions {
  readonly folder?: string;
  readonly home?: string;
  readonly id?: string;
  readonly config?: Partial<QueryEngineConfig>;
}

let ids = 0;

export function rewindSession(options: SessionOptions = {}): RewindSession {
  const folder = options.folder ?? freshFolder();
  const home = options.home ?? freshFolder();
  const id = options.id ?? `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`;
  let next: () => Call | null = () => null;
  let calls = 0;
  const model: ScriptedModel = scriptedModel(() => {
    const call = next();
    return call === null ? text('done') : toolCall(call[0], call[1], `toolu_${id.slice(-4)}_${++calls}`);
  });
  const engine = new QueryEngine({
    ...plainConfig(),
    cwd: folder,
    tools: [bashTool, editTool, notebookEditTool, readTool, writeTool],
    provider: model,
    host: lastingHost(),
    env: { TURNWRIGHT_HOME: home },
    sessionId: id,
    enableFileCheckpointing: true,
    readInstructionFiles: false,
    customSystemPrompt: 'You are a test.',
    readFileCache: everythingSeen(),
    ...options.config,
  });
  onTestFinished(() => engine.close());
  const promptWith = (uuid: string, decide: () => Call | null): Promise<SDKMessage[]> => {
    next = decide;
    return collect(engine.submitMessage(`prompt ${uuid}`, { uuid }));
  };
  return {
    folder,
    home,
    id,
    engine,
    prompt(uuid, ...wanted) {
      const left = [...wanted];
      return promptWith(uuid, () => left.shift() ?? null);
    },
    promptWith,
    async restart(overrides = {}) {
      await engine.close();
      const host = lastingHost();
      const found = await resumeSession(host, placeIn(await projectFolder(host, home, folder), id)).catch(() => null);
      const initialMessages = found?.messages ?? [...engine.getMessages()];
      const resumedFrom = found?.lastUuid ?? initialMessages.at(-1)?.uuid ?? null;
      return rewindSession({
        folder,
        home,
        id,
        config: { ...options.config, initialMessages, resumedFrom, ...overrides },
      });
    },
    storeFolder() {
      const [project = ''] = readdirSync(path.join(home, 'projects'));
      return path.join(home, 'projects', project, id, 'checkpoints');
    },
  };
}

/** Removed with the test. */
export function freshFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'turnwright-rewind-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Every path below a folder with kind, mode and content, so that two moments can be compared. */
export function snapshot(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (relative: string): void => {
    for (const name of readdirSync(path.join(folder, relative)).sort()) {
      const file = path.join(relative, name);
      const stat = lstatSync(path.join(folder, file));
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) found[file] = `link ${readlinkSync(path.join(folder, file))}`;
      else if (stat.isDirectory()) {
        found[file] = `folder ${mode}`;
        visit(file);
      } else if (stat.isFile())
        found[file] = `file ${mode} ${readFileSync(path.join(folder, file)).toString('latin1')}`;
      else found[file] = 'other';
    }
  };
  visit('.');
  return found;
}

/** As a user would at another terminal. */
export function shell(folder: string, command: string): void {
  execFileSync('bash', ['-c', command], { cwd: folder, stdio: 'ignore' });
}

export const bash = (command: string): Call => ['Bash', { command }];
export const write = (file: string, content: string): Call => ['Write', { file_path: file, content }];
export const edit = (file: string, before: string, after: string): Call => [
  'Edit',
  { file_path: file, old_string: before, new_string: after },
];
/** @param cell fields of NotebookEdit beside the path */
export const editCell = (file: string, cell: Record<string, unknown>): Call => [
  'NotebookEdit',
  { notebook_path: file, ...cell },
];
