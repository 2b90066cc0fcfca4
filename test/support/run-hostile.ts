// Runs a script as hostile tests do: with a tool that echoes and one that fails, small limits, and a thread of its own.
import { createNodeHost } from '../../src/host/node-host.js';
import { runScript, type ScriptEnd, type ScriptLimits } from '../../src/host/scripts/run-script.js';
import type { HostileScript } from './hostile-scripts.js';

const PATIENT_MS = 60_000;
export const SMALL_LIMITS: ScriptLimits = { runMs: 400, memoryBytes: 32_000_000, outputBytes: 20_000 };

export function runWithEcho(
  code: string,
  limits = SMALL_LIMITS,
  signal = new AbortController().signal,
): Promise<ScriptEnd> {
  return runScript(
    { code, tools: ['Echo', 'Fail'], limits },
    async ({ name, input }) => {
      if (name === 'Fail') return { ok: false, text: 'It failed.', name: 'ToolError' };
      const { text = '' } = JSON.parse(input) as { text?: string };
      return { ok: true, text: JSON.stringify(`echo ${text}`) };
    },
    createNodeHost().clock,
    signal,
  );
}

/** What is wrong with how it ended; null if nothing. */
export async function problemWith({ code, ends, value }: HostileScript): Promise<string | null> {
  // What is to end otherwise than by its time has as much of it as a slow machine may need.
  const end = await runWithEcho(code, ends.includes('time') ? SMALL_LIMITS : { ...SMALL_LIMITS, runMs: PATIENT_MS });
  const kind = end.error?.kind ?? 'value';
  const said = `${kind}: ${end.error?.message ?? end.value}`.slice(0, 300);
  if (!ends.includes(kind)) return said;
  if (kind === 'value' && value !== undefined && end.value !== JSON.stringify(value)) return said;
  const isBounded = end.printed.length <= SMALL_LIMITS.outputBytes && (end.error?.message.length ?? 0) <= 5_000;
  return isBounded ? null : 'it said more than it may';
}
