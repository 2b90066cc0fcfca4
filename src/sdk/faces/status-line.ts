// The command `statusLine` of settings: where it stands, and one run of it. One rule: it is a command of the person's own, never
// of a project, and it gets no key of a model.
import path from 'node:path';
import { isFileError } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { createSecrets } from '../../providers/keys/index.js';
import { childEnvironment } from '../../session/config/index.js';
import { findSettings } from '../../session/settings/index.js';
import { projectFolder, sessionsHome, transcriptPath } from '../../session/store/index.js';
import { findShell } from '../../tools/bash/index.js';
import { type Options, plainOptions } from '../options/index.js';

/** Longest run, milliseconds. */
const LONGEST_MS = 1_000;
/** Bytes of its output that are read. */
const MOST_BYTES = 16_384;

/** What the command reads as JSON on stdin: the fields that published products give to theirs. */
export interface StatusLineInput {
  readonly hook_event_name: 'Status';
  readonly session_id: string | null;
  readonly transcript_path: string | null;
  readonly cwd: string;
  readonly version: string;
  readonly model: { readonly id: string | null; readonly display_name: string | null };
  readonly workspace: { readonly current_dir: string; readonly project_dir: string };
  readonly permission_mode: string;
  readonly output_style: { readonly name: string };
  readonly cost: {
    readonly total_cost_usd: number;
    readonly total_duration_ms: number;
    readonly total_api_duration_ms: number;
    readonly total_lines_added: number;
    readonly total_lines_removed: number;
  };
  readonly context_window: {
    readonly total_input_tokens: number;
    readonly total_output_tokens: number;
    readonly context_window_size: number;
    /** 0 to 100; null if it is not known yet. */
    readonly used_percentage: number | null;
    readonly remaining_percentage: number | null;
    readonly current_usage: {
      readonly input_tokens: number;
      readonly output_tokens: number;
      readonly cache_creation_input_tokens: number;
      readonly cache_read_input_tokens: number;
    } | null;
  };
  readonly exceeds_200k_tokens: boolean;
  readonly vim?: { readonly mode: string };
  readonly session_name?: string;
}

export interface StatusLine {
  /** Columns before its output. */
  readonly padding: number;
  readonly outputStyle: string;
  /** Where the transcript of a session lies; null if none is kept. */
  transcriptPath(sessionId: string | null): Promise<string | null>;
  /** @returns what it printed, or why there is nothing. Contract: never rejects; nothing of it is alive then */
  run(input: StatusLineInput, signal: AbortSignal): Promise<{ readonly output: string } | { readonly problem: string }>;
}

/** Null if the settings in force name no command. @throws ConfigError if they cannot be read */
export async function openStatusLine(given: Options): Promise<StatusLine | null> {
  const options = plainOptions(given);
  const host = options.host ?? createNodeHost();
  const env = { ...host.env, ...options.env };
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  const values = (await findSettings(host, env, cwd, options).open())?.effective.values;
  const line = values?.statusLine;
  if (line === undefined) return null;
  const childEnv = childEnvironment({ ...env, ...values?.env }, createSecrets());
  return {
    padding: line.padding ?? 0,
    outputStyle: values?.outputStyle ?? 'default',
    async transcriptPath(sessionId) {
      if (sessionId === null || options.persistSession === false) return null;
      return transcriptPath(await projectFolder(host, sessionsHome(host, env), cwd), sessionId);
    },
    async run(input, signal) {
      const decoder = new TextDecoder();
      let output = '';
      let size = 0;
      try {
        const outcome = await host.exec.run({
          command: [await findShell({ host, childEnv }), '-c', '--', line.command],
          cwd,
          env: childEnv,
          signal,
          timeoutMs: LONGEST_MS,
          input: JSON.stringify(input),
          onStdout(chunk) {
            if (size < MOST_BYTES) output += decoder.decode(chunk.subarray(0, MOST_BYTES - size), { stream: true });
            size += chunk.length;
          },
          onStderr: () => undefined,
        });
        if (outcome.ended === 'timed_out')
          return { problem: `statusLine: it took more than ${LONGEST_MS / 1_000} second.` };
        if (outcome.ended !== 'exited') return { problem: 'statusLine: it was ended.' };
        return outcome.exitCode === 0 ? { output } : { problem: `statusLine: it ended with code ${outcome.exitCode}.` };
      } catch (error) {
        if (isFileError(error) || error instanceof Error) return { problem: `statusLine: ${error.message}` };
        throw error;
      }
    },
  };
}
