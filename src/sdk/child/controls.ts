// The controls of a query whose session runs in a child process: each method is a request, as the table of the wire says.
import type { SDKControlInitializeResponse } from '../../protocol/control-answers.js';
import type { Query } from '../query-controls.js';
import { type ControlName, WIRE_CONTROLS, type WireControl } from '../wire/controls.js';
import type { Fields } from '../wire/fields.js';

/** All methods but the stream itself. */
export type ChildControls = Omit<Query, keyof AsyncGenerator | typeof Symbol.asyncDispose | 'close' | 'streamInput'>;

/** The session of the other end. */
export interface Controlled {
  /** Starts it if it does not run yet. @throws as `Query` does */
  request(subtype: string, fields: Fields): Promise<Fields>;
  /** What it answered to `initialize`, the last time. */
  initialized(): Promise<Fields>;
  initializeAgain(): Promise<Fields>;
}

export function createChildControls({ request, initialized, initializeAgain }: Controlled): ChildControls {
  const calls = Object.fromEntries(
    (Object.keys(WIRE_CONTROLS) as ControlName[]).map((name) => {
      const control = WIRE_CONTROLS[name] as unknown as WireControl;
      const call = async (...given: never[]) => {
        const answer = await request(
          control.subtype,
          control.request(...(given as Parameters<typeof control.request>)),
        );
        return control.result?.(answer);
      };
      return [name, call];
    }),
  ) as unknown as Pick<Query, ControlName>;
  const facts = async () => factsOf(await initialized());
  return {
    ...calls,
    // A file that may not be read is an error on the wire, and nothing here.
    readFile: (...given) => calls.readFile(...given).catch(noFile),
    initializationResult: facts,
    reinitialize: async () => factsOf(await initializeAgain()),
    supportedCommands: async () => (await facts()).commands,
    supportedModels: async () => (await facts()).models,
    supportedAgents: async () => (await facts()).agents,
  };
}

/** Without what the two ends say to each other only. */
function factsOf(answer: Fields): SDKControlInitializeResponse {
  const {
    hooks_applied: _hooks,
    hook_on_failure_supported: _failure,
    mcp_servers_applied: _servers,
    plugins_applied: _plugins,
    options_applied: _options,
    end_input_supported: _end,
    ...facts
  } = answer;
  return { commands: [], agents: [], models: [], ...facts } as unknown as SDKControlInitializeResponse;
}

function noFile(error: unknown): null {
  if ((error as { readonly code?: unknown } | null)?.code === 'host_failed') return null;
  throw error;
}
